"use client";
/** Pictures by choosing, dropping, pasting or from the samples. They stay on this device until the task is posted. */
import { useEffect, useState, type DragEvent, type RefObject } from "react";
import { Banner } from "../../components/Banner.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { explainError, type Explanation } from "../../lib/explainError.ts";
import { formatBytes } from "../../lib/format.ts";
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

  const take = async (files: Iterable<File>): Promise<void> => {
    try {
      add(await Promise.all([...files].map(partOf)));
      setProblem(undefined);
    } catch (error) {
      setProblem(explainError(error));
    }
  };

  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) void Promise.all(files.map(partOf)).then(add);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, [add]);

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
          <Button small onClick={form.clear}>
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
      {refusal === undefined && problem === undefined ? null : (
        <Banner tone="error" title={(refusal ?? problem)?.title ?? ""}>
          {(refusal ?? problem)?.text}
        </Banner>
      )}
      <SamplePicker form={form} onProblem={setProblem} />
    </Card>
  );
}

async function partOf(file: File) {
  return { name: file.name || "image", mediaType: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
}
