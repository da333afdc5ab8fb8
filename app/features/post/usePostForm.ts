"use client";
/** What the payer has chosen on the post page: model, pictures, limits. Nothing of it is lost when a wallet says no. */
import { catalogue } from "@ngpu/protocol/catalogue";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Part } from "@ngpu/protocol/sealed/payload";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Hex } from "viem";
import { readLocalTask } from "../../lib/taskStore.ts";
import { statedDimensions } from "../../lib/models.ts";

export interface Picture extends Part {
  /** Printed lines, known for samples only. */
  lines?: number;
  url: string;
}

export interface PostForm {
  modelId: Hex;
  manifest: ModelManifest;
  setModel: (modelId: Hex) => void;
  pictures: readonly Picture[];
  add: (parts: readonly (Part & { lines?: number })[]) => void;
  remove: (name: string) => void;
  clear: () => void;
  /** Figures that files cannot tell, by dimension. */
  stated: Record<string, number>;
  state: (dimension: string, value: number) => void;
  minutes: number;
  setMinutes: (minutes: number) => void;
  /** Highest price the payer agrees to, as typed; empty: the price of the moment. */
  maxPriceText: string;
  setMaxPriceText: (text: string) => void;
  backups: number;
  setBackups: (backups: number) => void;
}

export function usePostForm({
  initialModel,
  again,
}: {
  initialModel: string | undefined;
  again: string | undefined;
}): PostForm {
  const [modelId, setModelId] = useState<Hex>(() => known(initialModel));
  const [pictures, setPictures] = useState<Picture[]>([]);
  const [overrides, setOverrides] = useState<Record<string, number>>({});
  const [minutes, setMinutes] = useState(5);
  const [backups, setBackups] = useState(1);
  const [maxPriceText, setMaxPriceText] = useState("");
  const manifest = manifestIn(modelId);

  const add = useCallback<PostForm["add"]>((parts) => setPictures((current) => merged(current, parts)), []);
  const remove = useCallback(
    (name: string) => setPictures((current) => without(current, (picture) => picture.name === name)),
    [],
  );
  const clear = useCallback(() => setPictures((current) => without(current, () => true)), []);
  const setModel = useCallback((next: Hex) => {
    setModelId(next);
    setOverrides({});
  }, []);
  const state = useCallback(
    (dimension: string, value: number) => setOverrides((all) => ({ ...all, [dimension]: value })),
    [],
  );

  useEffect(() => {
    if (again === undefined || !/^0x[0-9a-f]{64}$/.test(again)) return;
    let stale = false;
    void readLocalTask(again as Hex).then((task) => {
      if (stale || task === undefined) return;
      setModelId(known(task.modelId));
      add(task.parts);
    });
    return () => {
      stale = true;
    };
  }, [again, add]);

  const stated = useMemo(() => statedFigures({ manifest, pictures, overrides }), [manifest, pictures, overrides]);
  const input = { modelId, manifest, setModel, pictures, add, remove, clear, stated, state };
  return { ...input, minutes, setMinutes, maxPriceText, setMaxPriceText, backups, setBackups };
}

function statedFigures(options: {
  manifest: ModelManifest;
  pictures: readonly Picture[];
  overrides: Record<string, number>;
}): Record<string, number> {
  const { manifest, pictures, overrides } = options;
  const figures: Record<string, number> = {};
  for (const name of statedDimensions(manifest)) {
    const spec = manifest.dimensions[name];
    if (spec === undefined) continue;
    // Detection may split a printed line, so a sample's count gets a quarter on top.
    const found = pictures.reduce(
      (sum, picture) => sum + Math.max(spec.default, Math.ceil((picture.lines ?? 0) * 1.25)),
      0,
    );
    const guess = pictures.length === 0 ? spec.default : found;
    figures[name] = overrides[name] ?? Math.min(spec.maximum, Math.max(spec.minimum, guess));
  }
  return figures;
}

function merged(current: readonly Picture[], parts: readonly (Part & { lines?: number })[]): Picture[] {
  const all = [...current];
  for (const part of parts) {
    const name = freeName(part.name, new Set(all.map((picture) => picture.name)));
    const blob = new Blob([part.bytes as Uint8Array<ArrayBuffer>], { type: part.mediaType });
    all.push({ ...part, name, url: URL.createObjectURL(blob) });
  }
  return all;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  let count = 2;
  while (taken.has(`${stem}-${count}${ending}`)) count++;
  return `${stem}-${count}${ending}`;
}

function without(current: readonly Picture[], goes: (picture: Picture) => boolean): Picture[] {
  for (const picture of current) if (goes(picture)) URL.revokeObjectURL(picture.url);
  return current.filter((picture) => !goes(picture));
}

function known(modelId: string | undefined): Hex {
  const found = catalogue.find((entry) => entry.modelId === modelId?.toLowerCase()) ?? catalogue[0];
  if (found === undefined) throw new Error("The catalogue is empty.");
  return found.modelId;
}

function manifestIn(modelId: Hex): ModelManifest {
  const found = catalogue.find((entry) => entry.modelId === modelId);
  if (found === undefined) throw new Error(`No model ${modelId}.`);
  return found.manifest;
}
