"use client";
/** One page, no wizard: model, input and limits left; the quote and its one button right. */
import { useRef } from "react";
import { Columns, Page, Stack } from "../../components/Page.tsx";
import { InputPicker } from "./InputPicker.tsx";
import { Limits } from "./Limits.tsx";
import { ModelPicker } from "./ModelPicker.tsx";
import { PostNotes } from "./PostNotes.tsx";
import { QuoteCard } from "./QuoteCard.tsx";
import { usePostForm } from "./usePostForm.ts";
import { usePostSteps } from "./usePostSteps.ts";
import { useQuote } from "./useQuote.ts";

export function PostTask({ initialModel, again }: { initialModel: string | undefined; again: string | undefined }) {
  const form = usePostForm({ initialModel, again });
  const priced = useQuote(form);
  const fileInput = useRef<HTMLInputElement>(null);
  const { steps, permit } = usePostSteps({ form, priced, chooseFiles: () => fileInput.current?.click() });
  return (
    <Page title="Post a task" lead="Pictures are sealed on this device; only you and the assigned nodes can open them.">
      <PostNotes form={form} priced={priced} />
      <Columns kind="aside">
        <Stack>
          <ModelPicker form={form} />
          <InputPicker form={form} fileInput={fileInput} refusal={priced.refusal} />
          <Limits form={form} priced={priced} />
        </Stack>
        <QuoteCard form={form} priced={priced} steps={steps} permit={permit} />
      </Columns>
    </Page>
  );
}
