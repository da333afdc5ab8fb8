"use client";
import { catalogue } from "@ngpu/protocol/catalogue";
import { Card } from "../../components/Card.tsx";
import styles from "./ModelPicker.module.css";
import type { PostForm } from "./usePostForm.ts";

export function ModelPicker({ form }: { form: PostForm }) {
  return (
    <Card title="Model">
      <div className={styles.models} role="radiogroup" aria-label="Model">
        {catalogue.map(({ modelId, manifest }) => (
          <label key={modelId} className={styles.model}>
            <input
              type="radio"
              name="model"
              checked={form.modelId === modelId}
              onChange={() => form.setModel(modelId)}
            />
            <span>
              <span className={styles.title}>{manifest.title}</span>
              <span className={styles.note}>
                {manifest.name} · {manifest.licence}
              </span>
            </span>
          </label>
        ))}
      </div>
    </Card>
  );
}
