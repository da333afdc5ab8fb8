"use client";
/** A sample with the result that this model gave for it, so that the model can be judged before anything is paid. */
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "../../components/Skeleton.tsx";
import { ResultView } from "../task/ResultView.tsx";
import { loadSampleResult } from "../../lib/sampleResults.ts";
import { samplesFor, sampleUrl } from "../../lib/samples.ts";
import styles from "./ModelSample.module.css";

export function ModelSample({ manifest }: { manifest: ModelManifest }) {
  const { schema } = manifest.output;
  const result = useQuery({
    queryKey: ["sampleResult", schema],
    queryFn: () => loadSampleResult(schema),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const sample = samplesFor(manifest)[0];
  if (sample === undefined || result.data === null) return null;
  if (result.data === undefined) {
    return (
      <div className={styles.waiting}>
        <div className={styles.picture} style={{ aspectRatio: `${sample.width} / ${sample.height}` }} />
        <Skeleton width="100%" height="190px" />
      </div>
    );
  }
  return <ResultView result={result.data} imageUrl={() => sampleUrl(sample)} compact />;
}
