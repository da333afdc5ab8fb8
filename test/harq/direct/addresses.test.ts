/** Where a direct link's challenges may go, and how a side learns its own address. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { addressScope } from "@ngpu/protocol/harq/direct/addressScope";
import { answerQuestion, decodeAnswer, encodeQuestion } from "@ngpu/protocol/harq/direct/observation";
import { targetsOf } from "@ngpu/protocol/harq/direct/targets";
import { createObserver } from "@ngpu/protocol/service/harq/direct/observer";

const at = (address: string, port = 40_000) => ({ address, port });
const mainnet = 1;
const local = 31_337;

describe("addresses of direct links", () => {
  for (const [scope, addresses] of [
    ["public", ["8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2a00:1450::5"]],
    ["private", ["10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.1.1", "100.64.0.1", "169.254.169.254", "fd00::1", "fe80::1"]],
    ["loopback", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]],
    ["none", ["0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "ff02::1", "::", "::ffff:7f00:1", "64:ff9b::a00:1", "2002:a00:1::1", "host", ""]],
  ] as const) {
    it(`calls ${addresses.join(", ")} ${scope}`, () => {
      expect(addresses.map(addressScope)).to.deep.equal(addresses.map(() => scope));
    });
  }

  it("sends to no private, loopback or multicast address on a public side's account", () => {
    const candidates = ["192.168.1.1", "10.0.0.1", "127.0.0.1", "224.0.0.1", "0.0.0.0", "9.9.9.9"].map((a) => at(a));
    expect(targetsOf({ candidates, seenAt: "8.8.8.8", chainId: local })).to.deep.equal([at("9.9.9.9")]);
  });

  it("sends to a private address from a network where the gateway is private too", () => {
    const candidates = [at("192.168.1.7"), at("127.0.0.1")];
    expect(targetsOf({ candidates, seenAt: "192.168.1.9", chainId: mainnet })).to.deep.equal([at("192.168.1.7")]);
  });

  it("sends to loopback on the local chain alone", () => {
    const request = { candidates: [at("127.0.0.1")], seenAt: "127.0.0.1" };
    expect(targetsOf({ ...request, chainId: local })).to.have.length(1);
    expect(targetsOf({ ...request, chainId: mainnet })).to.have.length(0);
  });

  it("sends to four addresses at most, to no port of a service, and only over its own version of IP", () => {
    const candidates = [at("9.9.9.9", 53), at("2a00::1"), ...Array.from({ length: 8 }, (_, n) => at(`9.9.9.${n}`))];
    const targets = targetsOf({ candidates, seenAt: "8.8.8.8", chainId: mainnet });
    expect(targets.map(({ address }) => address)).to.deep.equal(["9.9.9.0", "9.9.9.1", "9.9.9.2", "9.9.9.3"]);
  });
});

describe("asking where one is seen", () => {
  const nonce = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

  for (const from of [at("203.0.113.7", 65_535), at("2a00:0:0:0:0:0:0:1", 1_024)]) {
    it(`is answered with the address ${from.address}, by no more bytes than were asked with`, () => {
      const question = encodeQuestion(nonce);
      const answer = answerQuestion(question, from);
      expect(answer!.length).to.be.at.most(question.length);
      expect(decodeAnswer(answer!)).to.deep.equal({ nonce, ...from });
    });
  }

  it("answers nothing to what is no question, an answer among them", () => {
    const question = encodeQuestion(nonce);
    const answer = answerQuestion(question, at("2a00::1"))!;
    const filled = question.slice();
    filled[31] = 1;
    for (const datagram of [answer, filled, question.subarray(0, 31), new Uint8Array(0), new Uint8Array(32)]) {
      expect(answerQuestion(datagram, at("9.9.9.9"))).to.equal(undefined);
    }
  });

  it("is answered a thousand times at once to one network, and then so often a second; another is not kept waiting", () => {
    const answered: string[] = [];
    const observe = createObserver((_answer, to) => void answered.push(to.address));
    for (let count = 0; count < 10_000; count += 1) observe(encodeQuestion(nonce), at(`203.0.113.${count & 0xff}`));
    expect(answered.length).to.be.within(1_000, 4_000);
    observe(encodeQuestion(nonce), at("198.51.100.1"));
    expect(answered.at(-1)).to.equal("198.51.100.1");
  });

  it("takes no answer that is cut, longer, or of another version", () => {
    const answer = answerQuestion(encodeQuestion(nonce), at("9.9.9.9"))!;
    const other = answer.slice();
    other[9] = 5;
    for (const datagram of [answer.subarray(0, 15), new Uint8Array([...answer, 0]), other, encodeQuestion(nonce)]) {
      expect(decodeAnswer(datagram)).to.equal(undefined);
    }
  });
});
