/** Tokens for unproved addresses, and what may be sent there. */
import { test } from "node:test";
import { expect } from "chai";
import { addressPrefix } from "@ngpu/protocol/harq/security/addressPrefix";
import { createPathTokens, pathTokenBytes } from "@ngpu/protocol/harq/security/pathToken";
import { createPrefixBudget } from "@ngpu/protocol/harq/security/prefixBudget";
import { createChachaSealer } from "@ngpu/protocol/service/harq/chachaSealer";
import { createRandom } from "../support/random.ts";

const random = createRandom(1);
const tokens = createPathTokens({ sealer: createChachaSealer(random.bytes(32)), randomBytes: random.bytes });
const here = addressPrefix("203.0.113.7")!;

test("a token is good in its own network for thirty seconds, for its connection", () => {
  const token = tokens.issue({ prefix: here, connectionId: 7n, nowUs: 1_000_000 });
  expect(token.length).to.equal(pathTokenBytes);
  const neighbour = addressPrefix("203.0.113.250")!;
  expect(tokens.check({ token, prefix: neighbour, nowUs: 31_000_000 })).to.equal(7n);
  expect(tokens.check({ token, prefix: here, nowUs: 31_000_001 })).to.equal(undefined);
});

test("a token replayed from another prefix is refused", () => {
  const token = tokens.issue({ prefix: here, connectionId: 7n, nowUs: 0 });
  for (const address of ["203.0.114.7", "2001:db8::1", "::"]) {
    expect(tokens.check({ token, prefix: addressPrefix(address)!, nowUs: 1 }), address).to.equal(undefined);
  }
});

test("a token of which any one bit is changed, or that is cut, is refused, and so is one of another key", () => {
  const token = tokens.issue({ prefix: here, connectionId: 7n, nowUs: 0 });
  for (let bit = 0; bit < 8 * token.length; bit += 1) {
    const changed = token.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    expect(tokens.check({ token: changed, prefix: here, nowUs: 1 }), `bit ${bit}`).to.equal(undefined);
  }
  for (let length = 0; length < token.length; length += 1) {
    expect(tokens.check({ token: token.subarray(0, length), prefix: here, nowUs: 1 })).to.equal(undefined);
  }
  const others = createPathTokens({ sealer: createChachaSealer(random.bytes(32)), randomBytes: random.bytes });
  expect(others.check({ token, prefix: here, nowUs: 1 })).to.equal(undefined);
});

test("a prefix is what a network shares, however the address is written", () => {
  expect([...addressPrefix("::ffff:203.0.113.7")!]).to.eql([203, 0, 113]);
  expect([...addressPrefix("2001:DB8:1:2fff::9%eth0")!]).to.eql([0x20, 0x01, 0x0d, 0xb8, 0, 1, 0x2f]);
  expect([...addressPrefix("::1")!]).to.eql([0, 0, 0, 0, 0, 0, 0]);
  for (const address of ["", "1.2.3", "1.2.3.256", "1:2:3:4:5:6:7", "1::2::3", "1:2:3:4:5:6:7:8:9", "g::1"]) {
    expect(addressPrefix(address), address).to.equal(undefined);
  }
});

test("one prefix gets its budget and no more, while another is served", () => {
  const budget = createPrefixBudget({ bytesPerSecond: 1_000, burstBytes: 3_000, hashKey: 5 });
  const served = (from: Uint8Array, nowUs: number): number =>
    Array.from({ length: 100 }, () => budget.take(from, 100, nowUs)).filter(Boolean).length;
  expect(served(here, 0)).to.equal(30);
  expect(served(addressPrefix("198.51.100.1")!, 0)).to.equal(30);
  expect(served(here, 500_000)).to.equal(5);
  expect(served(here, 100_000_000)).to.equal(30);
});

test("ten thousand spoofed prefixes get no more than the buckets hold, whatever they send", () => {
  const buckets = 256;
  const budget = createPrefixBudget({ bytesPerSecond: 1_000, burstBytes: 600, hashKey: 9, buckets });
  let sentBytes = 0;
  for (let at = 0; at < 10_000; at += 1) {
    const prefix = Uint8Array.of(at >> 8, at & 0xff, 1);
    for (let time = 0; time < 5; time += 1)
      if (budget.take(prefix, pathTokenBytes + 16, 0)) sentBytes += pathTokenBytes + 16;
  }
  expect(sentBytes).to.be.at.most(buckets * 600);
  expect(sentBytes).to.be.above(0.9 * buckets * 540);
});
