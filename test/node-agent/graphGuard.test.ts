/** What the guard lets through to the runtime, and what it does not. */
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { installedModels } from "@ngpu/node-agent/localTask";
import { guardGraph } from "@ngpu/node-agent/runner/graphGuard";
import { expect } from "chai";
import { codeThrownBy } from "../harness/codeThrownBy.ts";
import * as onnx from "../harness/onnxModel.ts";
import { divisionModel, endlessModel } from "./support/hostileModels.ts";

const external = onnx.externalTensor({ name: "w", dims: [8], location: "operator.key", length: 32 });

describe("graph guard", () => {
  it("passes every graph of the catalogue", () => {
    for (const { manifest, paths } of installedModels()) {
      for (const { name } of manifest.graphs) guardGraph(readFileSync(paths[name] ?? ""));
    }
  });

  it("passes graphs that are only dangerous to execute, which the runner is for", () => {
    guardGraph(divisionModel());
    guardGraph(endlessModel());
  });

  const places: [string, Uint8Array][] = [
    ["an initialiser", onnx.graph({ initializers: [external] })],
    [
      "an attribute",
      onnx.graph({ nodes: [onnx.node("Constant", [], ["w"], [onnx.tensorAttribute("value", external)])] }),
    ],
    [
      "a sub-graph",
      onnx.graph({
        nodes: [
          onnx.node("If", ["c"], ["y"], [onnx.graphAttribute("then_branch", onnx.graph({ initializers: [external] }))]),
        ],
      }),
    ],
    ["a sparse initialiser", onnx.bytesField(15, onnx.bytesField(1, external))],
    [
      "a tensor that only marks its location",
      onnx.graph({ initializers: [onnx.join(onnx.bytesField(8, "w"), onnx.varintField(14, 1))] }),
    ],
  ];
  for (const [place, graph] of places) {
    it(`refuses external data in ${place}`, () => {
      expect(codeThrownBy(() => guardGraph(onnx.model(graph)))).to.equal("MODEL_HOSTILE");
    });
  }

  it("refuses external data in a function and in training information", () => {
    const constant = onnx.node("Constant", [], ["w"], [onnx.tensorAttribute("value", external)]);
    const base = onnx.model(onnx.graph({}));
    expect(codeThrownBy(() => guardGraph(onnx.join(base, onnx.bytesField(25, onnx.bytesField(7, constant)))))).to.equal(
      "MODEL_HOSTILE",
    );
    const training = onnx.bytesField(20, onnx.bytesField(1, onnx.graph({ initializers: [external] })));
    expect(codeThrownBy(() => guardGraph(onnx.join(base, training)))).to.equal("MODEL_HOSTILE");
  });

  it("refuses nesting that would exhaust a stack", () => {
    let graph = onnx.graph({});
    for (let depth = 0; depth < 200; depth++)
      graph = onnx.graph({ nodes: [onnx.node("If", ["c"], ["y"], [onnx.graphAttribute("then_branch", graph)])] });
    expect(codeThrownBy(() => guardGraph(onnx.model(graph)))).to.equal("MODEL_HOSTILE");
  });

  it("refuses the runtime's own format", () => {
    expect(codeThrownBy(() => guardGraph(Buffer.from("\x24\0\0\0ORTM rest", "latin1")))).to.equal("MODEL_HOSTILE");
  });

  it("refuses what is no model at all", () => {
    const files: Record<string, Uint8Array> = {
      empty: new Uint8Array(0),
      pointer: Buffer.from("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"),
      page: Buffer.from("<!DOCTYPE html><html><body>404</body></html>"),
      json: Buffer.from('{"error":"not found"}'),
      zeros: new Uint8Array(64),
      ones: new Uint8Array(64).fill(255),
      "cut short": divisionModel().subarray(0, 200),
      "without graph": onnx.varintField(1, 8),
    };
    for (const [name, bytes] of Object.entries(files))
      expect(
        codeThrownBy(() => guardGraph(bytes)),
        name,
      ).to.equal("MODEL_MISMATCH");
  });
});
