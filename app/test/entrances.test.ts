/** What comes from outside the app: settings of the run, registration codes, typed words. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { asTaskResult } from "../lib/asTaskResult.ts";
import { contentSecurityPolicy } from "../lib/contentSecurityPolicy.ts";
import { findTarget } from "../lib/findTarget.ts";
import { places } from "../lib/places.ts";
import { readRegistrationCode } from "../lib/registrationCode.ts";
import { readRuntimeConfig } from "../lib/runtimeConfig.ts";

const registry = "0xa513E6E4b8f2a923D98304ec87F64353C4D5C853";
const account = "0x976EA74026E726554dB657fA54763abd0C3a0aa9";
const code = {
  chainId: 31337,
  registry,
  owner: account,
  operator: registry,
  classId: 0,
  expiry: 2_000,
  signature: `0x${"ab".repeat(65)}`,
};
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const expected = { chainId: 31337, registry, account, nowS: 1_000n } as const;

describe("settings of the run", () => {
  it("are read when the page is asked for, without a slash at the end", () => {
    const config = readRuntimeConfig({ NGPU_RPC_URL: "http://127.0.0.1:9000/", NGPU_CHAIN_ID: "5" });
    expect(config).to.include({ rpcUrl: "http://127.0.0.1:9000", chainId: 5, gatewayUrl: "http://127.0.0.1:8600" });
  });

  it("are all that a page may talk to", () => {
    const runtime = {
      chainId: 1,
      rpcUrl: "https://rpc.example/key",
      gatewayUrl: "https://gate.example",
      subgraphUrl: "http://127.0.0.1:8000/x",
    };
    const policy = contentSecurityPolicy({ nonce: "n", development: false, runtime });
    expect(policy).to.contain(
      "connect-src 'self' https://rpc.example https://gate.example wss://gate.example http://127.0.0.1:8000;",
    );
    expect(policy).to.contain("script-src 'self' 'nonce-n' 'strict-dynamic' 'wasm-unsafe-eval';");
    expect(policy).to.contain("default-src 'self'");
    expect(policy).to.not.contain("'unsafe-eval'");
  });
});

describe("a registration code", () => {
  it("is read back into what the contract takes", () => {
    const reading = readRegistrationCode(` ${encoded(code)}\n`, expected);
    expect(reading).to.deep.equal({
      kind: "good",
      registration: { owner: account, operator: registry, classId: 0, expiry: 2_000, signature: code.signature },
    });
  });

  it("is refused with a reason when it is for another chain, another owner, or expired", () => {
    const wrong = [
      { ...code, chainId: 1 },
      { ...code, owner: registry },
      { ...code, expiry: 1_000 },
      { ...code, registry: account },
    ];
    for (const value of wrong) expect(readRegistrationCode(encoded(value), expected).kind).to.equal("wrong");
  });

  it("is refused when it is anything else", () => {
    for (const text of [
      "hello",
      "{}",
      encoded({}),
      encoded(null),
      encoded([1]),
      encoded({ ...code, expiry: -1 }),
      "%%%",
    ]) {
      expect(readRegistrationCode(text, expected).kind).to.equal("wrong");
    }
    expect(readRegistrationCode("  ", expected).kind).to.equal("empty");
  });
});

describe("a typed word", () => {
  it("finds nodes, pages and hashes", () => {
    expect(findTarget("node-3", places)).to.include({ kind: "node", href: "/nodes/3" });
    expect(findTarget("12", places)).to.include({ href: "/nodes/12" });
    expect(findTarget("bill", places)).to.include({ kind: "page", href: "/billing" });
    expect(findTarget(` 0x${"AB".repeat(32)} `, places)).to.deep.equal({ kind: "hash", hash: `0x${"ab".repeat(32)}` });
    for (const text of ["", "0x12", "node-0", "xyz"]) expect(findTarget(text, places).kind).to.equal("none");
  });
});

describe("a result document", () => {
  it("is drawn when it has a known schema and shape, and shown raw otherwise", () => {
    const image = { name: "a.png", width: 10, height: 10 };
    expect(asTaskResult({ schema: "ngpu.text/1", images: [{ ...image, lines: [] }] })?.schema).to.equal("ngpu.text/1");
    expect(asTaskResult({ schema: "ngpu.faces/1", images: [{ ...image, faces: [] }] })?.schema).to.equal(
      "ngpu.faces/1",
    );
    const others = [
      null,
      5,
      {},
      { schema: "ngpu.text/1" },
      { schema: "ngpu.text/1", images: [{ ...image, faces: [] }] },
      { schema: "toString", images: [] },
    ];
    for (const value of others) expect(asTaskResult(value)).to.equal(undefined);
  });
});
