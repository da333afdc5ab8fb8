/**
 * The client of a session that a test kills: opens it, asks `count` tasks at once and says on stdout what it has.
 * Arguments: JSON of { urls, signerKey, dataDir, count }.
 */
import type { Hex } from "viem";
import { localAccounts } from "../../../scripts/stack/accounts.ts";
import { openSampleSession, smallPhotos } from "../../../scripts/stack/sampleSession.ts";
import type { StackUrls } from "../../../scripts/stack/urls.ts";

const { count, ...given } = JSON.parse(process.argv[2] ?? "") as {
  urls: StackUrls;
  signerKey: Hex;
  dataDir: string;
  count: number;
};
const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);

const photos = await smallPhotos(count);
const session = await openSampleSession({
  ...given,
  payer: localAccounts.payer.account,
  voucherTiming: { records: 8, waitMs: 300 },
});
say({ sessionId: session.sessionId });
await Promise.all(photos.map(async (photo) => say({ requestId: (await session.run(photo)).requestId })));
