/** The static checks are part of the tests: types, who imports whom, stale generated files, paths of one machine. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { expect } from "chai";
import { paths } from "../../scripts/stack/paths.ts";

describe("check", () => {
  it("finds nothing", () => {
    const { status, stderr } = spawnSync(process.execPath, [join(paths.root, "scripts/targets/check.ts")], {
      encoding: "utf8",
    });
    expect(stderr.split("\n").filter((line) => line.startsWith("✗"))).to.deep.equal([]);
    expect(status).to.equal(0);
  });
});
