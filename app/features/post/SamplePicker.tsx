"use client";
import { Button } from "../../components/Button.tsx";
import { explainError, type Explanation } from "../../lib/explainError.ts";
import { loadSample, samplesFor, sampleUrl, type Sample } from "../../lib/samples.ts";
import styles from "./SamplePicker.module.css";
import type { PostForm } from "./usePostForm.ts";

export function SamplePicker({
  form,
  onProblem,
}: {
  form: PostForm;
  onProblem: (problem: Explanation | undefined) => void;
}) {
  const samples = samplesFor(form.manifest);
  const use = async (chosen: readonly Sample[]): Promise<void> => {
    try {
      const parts = await Promise.all(chosen.map(loadSample));
      form.add(
        parts.map((part, index) => ({
          ...part,
          ...(chosen[index]?.lines === undefined ? {} : { lines: chosen[index].lines }),
        })),
      );
      onProblem(undefined);
    } catch (error) {
      onProblem(explainError(error));
    }
  };
  const batch =
    form.manifest.task === "image-to-text"
      ? `Use the ${samples.length}-page batch`
      : `Use all ${samples.length} photographs`;
  return (
    <div className={styles.samples}>
      <div className={styles.head}>
        <h3>Or a sample</h3>
        <Button small onClick={() => void use(samples)}>
          {batch}
        </Button>
      </div>
      <ul className={styles.strip}>
        {samples.map((sample) => (
          <li key={sample.file}>
            <button
              type="button"
              className={styles.sample}
              onClick={() => void use([sample])}
              aria-label={`Add sample ${sample.title}`}
            >
              <img src={sampleUrl(sample)} alt="" loading="lazy" width={sample.width} height={sample.height} />
              <span>{sample.title}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
