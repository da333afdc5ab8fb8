/**
 * The one error type of our services and client, and the catalogue of its codes. A code says what happened; the catalogue adds
 * what it cost and what to do, for people. Branch on `code`, never on a text.
 */
export interface CatalogueEntry {
  /** What happened, in plain words. */
  meaning: string;
  /** What it cost the person who sees it. */
  cost: string;
  /** What to do. */
  remedy: string;
  /** True when the same call may succeed later. */
  retryable: boolean;
  /** HTTP status at the gateway, where the error is answered over HTTP. */
  status?: number;
}

const nothing = "Nothing.";
/** No contract can open a result, so it pays for what the assigned node signed. */
const unopened = "Nothing for an input: the task is refunded. For an output that was billed: the bill, at most the escrow.";

export const errorCatalogue = {
  WIRE_MALFORMED: {
    meaning: "A message did not follow the protocol.",
    cost: nothing,
    remedy: "Update the program that sent it.",
    retryable: false,
    status: 400,
  },
  WIRE_TOO_LARGE: {
    meaning: "A message was larger than allowed.",
    cost: nothing,
    remedy: "Send less at once.",
    retryable: false,
    status: 413,
  },
  AUTH_REQUIRED: {
    meaning: "The request carried no valid signature.",
    cost: nothing,
    remedy: "Sign the request with the task's client key or the node's operator key.",
    retryable: false,
    status: 401,
  },
  AUTH_EXPIRED: {
    meaning: "The signature has expired, or the clocks differ by more than 30 s.",
    cost: nothing,
    remedy: "Check the clock and sign again.",
    retryable: true,
    status: 401,
  },
  AUTH_FORBIDDEN: {
    meaning: "The signer has no right to this.",
    cost: nothing,
    remedy: "Only the task's payer and its assigned nodes may do this.",
    retryable: false,
    status: 403,
  },
  TASK_UNKNOWN: {
    meaning: "The chain does not know this task (yet).",
    cost: "Nothing; where the post was reverted, its gas.",
    remedy: "Wait for the post to be mined, then try again.",
    retryable: true,
    status: 404,
  },
  BLOB_UNKNOWN: {
    meaning: "No such data is stored here (any more).",
    cost: nothing,
    remedy: "Upload it again, or ask another gateway.",
    retryable: true,
    status: 404,
  },
  BLOB_MISMATCH: {
    meaning: "The data does not have the hash that was announced.",
    cost: nothing,
    remedy: "Upload the exact bytes that were committed to.",
    retryable: false,
    status: 409,
  },
  BLOB_TOO_LARGE: {
    meaning: "The data is larger than 32 MiB.",
    cost: nothing,
    remedy: "Split the work into several tasks.",
    retryable: false,
    status: 413,
  },
  BLOB_LIMIT: {
    meaning: "This task has stored as much as it may.",
    cost: nothing,
    remedy: "Use the data that is stored already.",
    retryable: false,
    status: 429,
  },
  STORE_FULL: {
    meaning: "The gateway has no room.",
    cost: nothing,
    remedy: "Try again later or use another gateway.",
    retryable: true,
    status: 507,
  },
  ROUTE_UNKNOWN: {
    meaning: "There is no such address here.",
    cost: nothing,
    remedy: "See docs/PROTOCOL.md §5.",
    retryable: false,
    status: 404,
  },
  CHAIN_UNREACHABLE: {
    meaning: "The chain's RPC did not answer.",
    cost: nothing,
    remedy: "It is tried again; check the RPC address if it lasts.",
    retryable: true,
    status: 503,
  },
  CHAIN_WRONG: {
    meaning: "The RPC serves another chain than configured.",
    cost: nothing,
    remedy: "Correct the RPC address or the chain id.",
    retryable: false,
  },
  SETTING_INVALID: {
    meaning: "A setting is missing or not valid.",
    cost: nothing,
    remedy: "Correct the setting that is named.",
    retryable: false,
  },
  KEY_UNSAFE: {
    meaning: "A publicly known development key was given for a chain other than 31337.",
    cost: nothing,
    remedy: "Use a key of your own.",
    retryable: false,
  },
  GATEWAY_UNREACHABLE: {
    meaning: "The gateway did not answer.",
    cost: nothing,
    remedy: "It is tried again; check the gateway's address if it lasts.",
    retryable: true,
  },
  GATEWAY_UNTRUSTED: {
    meaning: "The gateway presented itself as another gateway or chain than configured.",
    cost: nothing,
    remedy: "Check the gateway's address; nothing was signed for it.",
    retryable: false,
  },
  TASK_REFUNDED: {
    meaning: "The task ended without a result.",
    cost: "Nothing but the gas of the post: the whole escrow is back in your balance.",
    remedy: "Post it again; if it lasts, choose another model.",
    retryable: true,
  },
  TASK_ABANDONED: {
    meaning: "Waiting for the task was broken off.",
    cost: "Nothing yet: it will be billed if a node delivers, else it comes back at the deadline.",
    remedy: "Open the task again to see how it ended.",
    retryable: true,
  },
  SEAL_BROKEN: {
    meaning: "Sealed data could not be opened: wrong key, or the bytes were changed.",
    cost: unopened,
    remedy: "Fetch it again; if it lasts, the sender made it wrongly.",
    retryable: false,
  },
  COMMITMENT_MISMATCH: {
    meaning: "The data is not what was committed to on chain.",
    cost: unopened,
    remedy: "Keep the receipt; it is evidence.",
    retryable: false,
  },
  PAYLOAD_MALFORMED: {
    meaning: "The opened data is not a payload of this protocol.",
    cost: unopened,
    remedy: "Update the program that sealed it.",
    retryable: false,
  },
  INPUT_NOT_IMAGE: {
    meaning: "The file is not a PNG or JPEG image.",
    cost: nothing,
    remedy: "Choose a PNG or JPEG file.",
    retryable: false,
  },
  INPUT_TOO_LARGE: {
    meaning: "The input is larger than the model allows.",
    cost: nothing,
    remedy: "Use fewer or smaller files.",
    retryable: false,
  },
  INPUT_DIMENSIONS: {
    meaning: "The input does not have the declared dimensions.",
    cost: "Nothing: the task is refunded.",
    remedy: "Declare what the input holds; the client does it for you.",
    retryable: false,
  },
  WORK_TOO_LOW: {
    meaning: "The task declares less work than its model needs.",
    cost: "Nothing: the task is refunded.",
    remedy: "Use the quote of the client; it computes the work from the manifest.",
    retryable: false,
  },
  MODEL_UNKNOWN: {
    meaning: "This model is not known here.",
    cost: nothing,
    remedy: "Choose a model from the list.",
    retryable: false,
  },
  MODEL_MISMATCH: {
    meaning: "A model file does not have the bytes its manifest names.",
    cost: nothing,
    remedy: "Install the model's package again.",
    retryable: false,
  },
  MODEL_HOSTILE: {
    meaning: "A model file asks for things a model must not do.",
    cost: nothing,
    remedy: "Do not serve it.",
    retryable: false,
  },
  MODEL_FAILED: {
    meaning: "The model could not be executed on this input.",
    cost: "Nothing: the task is refunded, or its backup takes over.",
    remedy: "Try another input.",
    retryable: false,
  },
  PROVIDER_MISSING: {
    meaning: "The execution provider cannot be used on this machine.",
    cost: nothing,
    remedy: "Install its libraries, or set the provider to cpu.",
    retryable: false,
  },
  RUNNER_CRASHED: {
    meaning: "The process that executed the model ended.",
    cost: "Nothing: the task is refunded, or its backup takes over.",
    remedy: "Post again; if it lasts, the model or the input is at fault.",
    retryable: true,
  },
  RUNNER_TIMED_OUT: {
    meaning: "The model did not finish in time and was stopped.",
    cost: "Nothing: the task is refunded, or its backup takes over.",
    remedy: "Use a smaller input.",
    retryable: true,
  },
  NOT_ASSIGNED: {
    meaning: "The chain does not name this node for this task.",
    cost: nothing,
    remedy: "The dispatch is ignored.",
    retryable: false,
  },
  NODE_BUSY: { meaning: "All slots are busy.", cost: nothing, remedy: "The backup takes over.", retryable: true },
  NODE_NOT_REGISTERED: {
    meaning: "This operator key is not registered.",
    cost: nothing,
    remedy: "Register the node with the code that the agent prints.",
    retryable: true,
  },
  NOBODY_SERVES: {
    meaning: "No node that is online serves this model.",
    cost: nothing,
    remedy: "Choose another model or wait; what was posted comes back at the deadline.",
    retryable: true,
  },
  SUBGRAPH_UNREACHABLE: {
    meaning: "The index did not answer.",
    cost: "Nothing: tasks and payments go on without it.",
    remedy: "It is asked again by itself; history and totals are missing until it answers.",
    retryable: true,
  },
  SUBGRAPH_REORGANISED: {
    meaning: "The chain changed its last blocks while the index answered.",
    cost: nothing,
    remedy: "It is asked again by itself.",
    retryable: true,
  },
  SUBGRAPH_FAILED: {
    meaning: "The index has stopped.",
    cost: "Nothing: tasks and payments go on without it.",
    remedy: "History and totals may be incomplete until its operator starts it again.",
    retryable: true,
  },
  SUBGRAPH_REFUSED: {
    meaning: "The index did not understand the question.",
    cost: nothing,
    remedy: "The program and the index are of different versions: update the older one.",
    retryable: false,
  },
  GAS_SHORT: {
    meaning: "The account has too little of the chain's own coin to pay for the gas.",
    cost: "Nothing: it was not sent.",
    remedy: "Add some to the account, then try again.",
    retryable: true,
  },
  PORT_TAKEN: {
    meaning: "A port is in use.",
    cost: nothing,
    remedy: "Stop the program that uses it or set another port.",
    retryable: false,
  },
  DISK_FULL: { meaning: "The disk is full.", cost: nothing, remedy: "Free some space.", retryable: true },
  SESSION_UNKNOWN: {
    meaning: "The chain does not know this session (yet), or it is over.",
    cost: nothing,
    remedy: "Wait for its opening to be mined, or open another one.",
    retryable: true,
    status: 404,
  },
  SESSION_SPENT: {
    meaning: "The session's spend cap, or what was allotted to a node, is used up.",
    cost: "Nothing more than what was spent.",
    remedy: "Top the session up, or close it and open another one.",
    retryable: false,
  },
  SESSION_UNSIGNED: {
    meaning: "The node has done as much work as it does without a voucher for it.",
    cost: nothing,
    remedy: "The client signs what it owes and asks again by itself.",
    retryable: true,
  },
  SESSION_CLOSED: {
    meaning: "The session is closed.",
    cost: nothing,
    remedy: "Open another one.",
    retryable: false,
  },
  LANE_UNKNOWN: {
    meaning: "This node does not serve this session, or not any more.",
    cost: nothing,
    remedy: "Another node of the session is asked.",
    retryable: true,
  },
  LANE_KEY_MISSING: {
    meaning: "The node does not have the key of this session's requests.",
    cost: nothing,
    remedy: "The client sends it again by itself.",
    retryable: true,
  },
  REQUEST_PAID: {
    meaning: "This request was answered and paid before.",
    cost: "A tenth of the execution is billed, for having stood by.",
    remedy: "None is needed: the first answer stands.",
    retryable: false,
  },
  REQUEST_UNKNOWN: {
    meaning: "The receipt is for a request that this node was not asked, or had answered.",
    cost: nothing,
    remedy: "None is needed: it is not paid.",
    retryable: false,
  },
  RECEIPT_GAP: {
    meaning: "A receipt does not have the number that follows the last one.",
    cost: nothing,
    remedy: "The node is asked for the missing ones.",
    retryable: true,
  },
  RECEIPT_REPEATED: {
    meaning: "A receipt of this number was taken before.",
    cost: nothing,
    remedy: "None is needed: it is not paid again.",
    retryable: false,
  },
  RECEIPT_ABOVE_CAP: {
    meaning: "A receipt claims more time than the request's work allows.",
    cost: "Nothing: it is not paid, and the node is not asked again.",
    remedy: "Keep the receipt; it is evidence.",
    retryable: false,
  },
  RECEIPT_MISFIT: {
    meaning: "A receipt names another node, model, power or task than was agreed.",
    cost: "Nothing: it is not paid, and the node is not asked again.",
    remedy: "Keep the receipt; it is evidence.",
    retryable: false,
  },
  VOUCHER_MISFIT: {
    meaning: "A voucher does not cover the receipts that it should.",
    cost: nothing,
    remedy: "The node stops serving until a right one comes.",
    retryable: false,
  },
  FEC_ARGUMENT_INVALID: {
    meaning: "A block or a symbol does not follow the rules of the erasure code.",
    cost: nothing,
    remedy: "Correct the argument that is named; a symbol of a peer that broke a rule is dropped.",
    retryable: false,
  },
  FEC_SYMBOLS_SHORT: {
    meaning: "Fewer distinct symbols of a block are there than it has source symbols.",
    cost: nothing,
    remedy: "Wait for more symbols of the block; any will do.",
    retryable: true,
  },
  FEC_UNAVAILABLE: {
    meaning: "No kernel of the erasure code can run here.",
    cost: nothing,
    remedy: "Use an engine with WebAssembly and a little free memory, and allow it in the page's content security policy.",
    retryable: false,
  },
  HANDSHAKE_REFUSED: {
    meaning: "The other end of a transport did not prove who it is, or does not speak of the same network.",
    cost: nothing,
    remedy: "It is tried again with what the other end says now; if it lasts, check its address and key.",
    retryable: true,
  },
  INTERNAL: {
    meaning: "A programming error of ours.",
    cost: nothing,
    remedy: "Please report it with the log.",
    retryable: false,
    status: 500,
  },
  NODE_DRAINING: {
    meaning: "The node is stopping and begins nothing new.",
    cost: nothing,
    remedy: "Another node takes over.",
    retryable: true,
  },
  GATEWAY_DRAINING: {
    meaning: "The gateway is stopping; it ends what it has begun and takes nothing new.",
    cost: nothing,
    remedy: "It is tried again, here or at another gateway.",
    retryable: true,
    status: 503,
  },
  CHAIN_RESET: {
    meaning: "The chain began anew: its first block is another one than before.",
    cost: "What was on the old chain is gone with it, money, tasks and registrations included.",
    remedy: "Owners register their nodes again; if no chain was meant to begin anew, check the RPC address.",
    retryable: true,
  },
  CONTRACT_REFUSED: {
    meaning: "A contract refused the call.",
    cost: "Nothing; where a transaction was sent, its gas.",
    remedy: "The contract's own error is named with it; docs/ERRORS.md says what to do.",
    retryable: false,
  },
  CHAIN_REFUSED: {
    meaning: "The wallet or the chain's RPC refused the request.",
    cost: "Nothing: it was not sent.",
    remedy: "Its own words are in the cause; correct what they name, then try again.",
    retryable: false,
  },
  WALLET_DECLINED: {
    meaning: "The wallet declined to sign.",
    cost: nothing,
    remedy: "Ask again when its owner agrees.",
    retryable: true,
  },
  MANIFEST_MISMATCH: {
    meaning: "The manifest is not the one whose hash is the model's id.",
    cost: nothing,
    remedy: "Take id and manifest from the same place.",
    retryable: false,
  },
  BACKUP_MISSING: {
    meaning: "Fewer nodes that are online serve this model than the task needs with its backup.",
    cost: nothing,
    remedy: "Post with no backup, or wait until another node serves the model.",
    retryable: true,
  },
  TASK_WORDS_MISMATCH: {
    meaning: "What was told of a task is not what the chain keeps of it.",
    cost: "Nothing: it was not acted on.",
    remedy: "It is read again; if it lasts, the RPC tells what is not so: use another one.",
    retryable: true,
  },
  OUTPUT_HELD: {
    meaning: "A gateway gives the output, so there is nothing to demand.",
    cost: nothing,
    remedy: "Open the output.",
    retryable: false,
  },
  DEMAND_NOT_POSSIBLE: {
    meaning: "The task has no bill, or its output was demanded before.",
    cost: nothing,
    remedy: "Look at how the task stands.",
    retryable: false,
  },
  DEMAND_TOO_LATE: {
    meaning: "The time within which the payer may demand the output is over.",
    cost: "The bill: it is paid for good.",
    remedy: "Ask other gateways for the output; next time, open it within the window.",
    retryable: false,
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** An error with a catalogue code. `fields` are for logs and must never hold a secret. */
export class NgpuError extends Error {
  override readonly name = "NgpuError";
  readonly code: ErrorCode;
  readonly fields: Record<string, unknown>;

  constructor(code: ErrorCode, fields: Record<string, unknown> = {}, options?: { cause?: unknown }) {
    const detail = Object.entries(fields)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(" ");
    super(
      detail ? `${code}: ${errorCatalogue[code].meaning} (${detail})` : `${code}: ${errorCatalogue[code].meaning}`,
      options,
    );
    this.code = code;
    this.fields = fields;
  }

  get entry(): CatalogueEntry {
    return errorCatalogue[this.code];
  }
}

/** The catalogue code of anything thrown; INTERNAL when it is not ours. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof NgpuError ? error.code : "INTERNAL";
}
