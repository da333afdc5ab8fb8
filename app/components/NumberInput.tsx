"use client";
/**
 * A whole number to type. While it has the focus it shows what was typed, whatever else changes the value meanwhile, so
 * that a figure that arrives late never mixes with the payer's own.
 */
import { useState } from "react";
import type { ControlProps } from "./Field.tsx";

export function NumberInput(props: {
  control: ControlProps;
  minimum: number;
  maximum: number;
  value: number;
  onChange: (value: number) => void;
}) {
  const { control, minimum, maximum, value, onChange } = props;
  const [draft, setDraft] = useState<string>();
  const text = Number.isNaN(value) ? "" : String(value);
  return (
    <input
      {...control}
      type="number"
      inputMode="numeric"
      min={minimum}
      max={maximum}
      value={draft ?? text}
      onFocus={() => setDraft(text)}
      onBlur={() => setDraft(undefined)}
      onChange={(event) => {
        setDraft(event.target.value);
        onChange(event.target.valueAsNumber);
      }}
    />
  );
}
