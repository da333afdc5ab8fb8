"use client";
/** Pictures by choosing, dropping, pasting or from the samples. They stay on this device until the task is posted. */
import { useCallback, useEffect, useState, type DragEvent, type RefObject } from "react";
import { Banner } from "../../components/Banner.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import type { Explanation } from "../../lib/explainError.ts";
import { formatBytes } from "../../lib/format.ts";
import { takeFiles } from "../../lib/takeFiles.ts";
import styles from "./InputPicker.module.css";
import { SamplePicker } from "./SamplePicker.tsx";
import type { PostForm } from "./usePostForm.ts";

export function InputPicker(props: {
  form: PostForm;
  fileInput: RefObject<HTMLInputElement | null>;
  refusal: Explanation | undefined;
}) {
  const { form, fileInput, refusal } = props;
  const { add, pictures, manifest } = form;
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<Explanation | undefined>(undefined);

  const take = useCallback(
    async (files: Iterable<File>): Promise<void> => {
      const taken = await takeFiles({ files: [...files], manifest, held: pictures });
      if (taken.parts.length > 0) add(taken.parts);
      setProblem(taken.problem);
    },
    [add, manifest, pictures],
  );

  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) void take(files);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, [take]);

  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files);
  };
  const bytes = pictures.reduce((sum, picture) => sum + picture.bytes.length, 0);
  return (
    <Card
      title="Input"
      note={
        pictures.length === 0
          ? "PNG or JPEG"
          : `${pictures.length} ${pictures.length === 1 ? "image" : "images"}, ${formatBytes(bytes)}`
      }
      actions={
        pictures.length === 0 ? null : (
          <Button
            small
            onClick={() => {
              form.clear();
              setProblem(undefined);
            }}
          >
            Remove all
          </Button>
        )
      }
    >
      <div
        className={styles.zone}
        data-over={over ? "" : undefined}
        data-testid="drop-zone"
        onDrop={drop}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
      >
        {pictures.length === 0 ? (
          <p className={styles.hint}>Drop images here, paste them, or</p>
        ) : (
          <ul className={styles.pictures} aria-label="Chosen images">
            {pictures.map(({ name, url }) => (
              <li key={name} className={styles.picture}>
                <img src={url} alt={name} />
                <button type="button" onClick={() => form.remove(name)} aria-label={`Remove ${name}`}>
                  ×
                </button>
              </li>
            ))}
          </ul>
        )}
        <label className={styles.choose}>
          <input
            ref={fileInput}
            type="file"
            accept={manifest.input.mediaTypes.join(",")}
            multiple
            onChange={(event) => {
              void take(event.target.files ?? []);
              event.target.value = "";
            }}
          />
          {pictures.length === 0 ? "Choose images" : "Add more"}
        </label>
      </div>
      {[problem, refusal].map((note) =>
        note === undefined ? null : (
          <div key={note.code} className={styles.note}>
            <Banner tone={note.tone} title={note.title}>
              {note.text}
            </Banner>
          </div>
        ),
      )}
      <SamplePicker form={form} onProblem={setProblem} />
    </Card>
  );
}
