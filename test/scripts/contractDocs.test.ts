/** The reference of the contracts says what their NatSpec says: inherited words, parts, and nothing that is private. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { expect } from "chai";
import { parseNatSpec } from "../../scripts/contractDocs/natSpec.ts";
import { readContracts } from "../../scripts/contractDocs/readContracts.ts";
import { renderReference } from "../../scripts/contractDocs/renderReference.ts";

const interfaceSource = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
/// @title A lamp.
/// @notice Shines.
interface ILamp {
  /// @notice It was lit.
  event Lit(address indexed by);
  /// @notice It burns already.
  error LampLit(address by);
  /// @notice Light it. Effects: it shines. Requirements: it is dark;
  ///      caller has a match.
  function light(uint8 level) external;
  /// @notice Who lit it.
  function litBy() external view returns (address);
}
`;

const contractSource = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
import {ILamp} from "./interfaces/ILamp.sol";
/// @title Lamp
/// @notice Of glass.
contract Lamp is ILamp {
  /// @notice Brightest level.
  uint8 public constant MAX = 3;
  /// @inheritdoc ILamp
  address public litBy;
  /// @inheritdoc ILamp
  function light(uint8) external { _check(); litBy = msg.sender; emit Lit(msg.sender); }
  function _check() private view { if (litBy != address(0)) revert LampLit(litBy); }
}
`;

function aFolder(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "ngpu-contract-docs-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "contracts/interfaces"), { recursive: true });
  writeFileSync(join(root, "contracts/interfaces/ILamp.sol"), interfaceSource);
  writeFileSync(join(root, "contracts/Lamp.sol"), contractSource);
  return root;
}

describe("contractDocs, behaviour", () => {
  it("documents a deployed contract with the words of its interface, each member once", (t) => {
    const [lamp, ...others] = readContracts(aFolder(t));
    expect(others).to.deep.equal([]);
    expect(lamp?.purpose).to.deep.equal(["Of glass.", "Shines."]);
    const seen = lamp?.members.map(({ kind, signature }) => `${kind}: ${signature}`);
    expect(seen).to.have.members([
      "fixed: uint8 MAX",
      "state: address litBy",
      "act: light(uint8 level)",
      "event: Lit(address by)",
      "error: LampLit(address by)",
    ]);
    expect(lamp?.members.find(({ signature }) => signature === "address litBy")?.doc.purpose).to.equal("Who lit it.");
  });

  it("gives effects and requirements a place of their own", (t) => {
    const text = renderReference(readContracts(aFolder(t)));
    expect(text).to.contain("| Light it. Effects: it shines. | it is dark; caller has a match. |");
  });

  it("leaves out drawings and tags that are not prose", () => {
    const doc = parseNatSpec("@notice Words.\n@dev More.\n```text\na → b\n```\n@param a Not here.");
    expect(doc).to.deep.equal({ purpose: "Words. More.", effects: "", requirements: "" });
  });
});
