// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Dispute, DisputeStage, DisputeTerms, Outcome, Verdict} from "../types/DisputeTypes.sol";

/// @title The stages of a dispute and every way from one to the next.
/// @notice An act before its deadline moves on from the time of the act; a missed deadline moves on by itself, with a
///      default. A ruling and an arbitration begin when the chain records them, so nobody's time to appeal passes
///      unseen.
/// @dev Knows neither money nor signatures.
library DisputeMachine {
    /// @notice Opened → Drawing: the node opened its output.
    function outputRevealed(Dispute storage self, bytes32 bodyHash, uint64 drawBlock, DisputeTerms storage terms)
        internal
    {
        self.outputBodyHash = bodyHash;
        self.drawBlock = drawBlock;
        _enter(self, DisputeStage.Drawing, uint40(block.timestamp) + terms.drawSeconds);
    }

    /// @notice Drawing → Wrapping: the committee sits.
    function drawn(Dispute storage self, DisputeTerms storage terms) internal {
        _enter(self, DisputeStage.Wrapping, uint40(block.timestamp) + terms.wrapSeconds);
    }

    /// @notice Wrapping → Committing: the opener wrapped the keys.
    function wrapped(Dispute storage self, bytes32 wrapsHash, DisputeTerms storage terms) internal {
        self.wrapsHash = wrapsHash;
        _enter(self, DisputeStage.Committing, uint40(block.timestamp) + terms.commitSeconds);
    }

    /// @notice Any stage → Ruled.
    function rule(Dispute storage self, Outcome ruling, DisputeTerms storage terms) internal {
        self.ruling = ruling;
        _enter(self, DisputeStage.Ruled, uint40(block.timestamp) + terms.appealSeconds);
    }

    /// @notice Any stage → Arbitrating.
    function toArbitrator(Dispute storage self, DisputeTerms storage terms) internal {
        _enter(self, DisputeStage.Arbitrating, uint40(block.timestamp) + terms.arbitrationSeconds);
    }

    /// @notice Any stage → Closed.
    function close(Dispute storage self, Outcome outcome) internal {
        self.outcome = outcome;
        _enter(self, DisputeStage.Closed, self.deadline);
    }

    /// @notice One step that time alone makes due. Ruled and Arbitrating are left by `close`, which moves money.
    /// @return moved False when nothing was due.
    function step(Dispute storage self, DisputeTerms storage terms) internal returns (bool moved) {
        if (block.timestamp <= self.deadline) return false;
        DisputeStage stage = self.stage;
        if (stage == DisputeStage.Opened) rule(self, Outcome.NodeLoses, terms);
        else if (stage == DisputeStage.Drawing) toArbitrator(self, terms);
        else if (stage == DisputeStage.Wrapping) rule(self, Outcome.OpenerLoses, terms);
        else if (stage == DisputeStage.Committing) _endCommitting(self, terms);
        else if (stage == DisputeStage.Revealing) _tally(self, terms);
        else return false;
        return true;
    }

    /// @notice Counts a revealed verdict.
    function count(Dispute storage self, Verdict verdict) internal {
        if (verdict == Verdict.NodeRight) ++self.rights;
        else if (verdict == Verdict.NodeWrong) ++self.wrongs;
        else ++self.unreadables;
    }

    /// @notice Outcome that a verdict speaks for.
    function outcomeOf(Verdict verdict) internal pure returns (Outcome) {
        if (verdict == Verdict.None) return Outcome.None;
        return verdict == Verdict.NodeWrong ? Outcome.NodeLoses : Outcome.OpenerLoses;
    }

    function _endCommitting(Dispute storage self, DisputeTerms storage terms) private {
        if (self.commits == 0) toArbitrator(self, terms);
        else _enter(self, DisputeStage.Revealing, self.deadline + terms.revealSeconds);
    }

    /// @dev The majority of those who revealed; a tie or too few of them is for the arbitrator.
    function _tally(Dispute storage self, DisputeTerms storage terms) private {
        uint256 forOpener = self.wrongs;
        uint256 forNode = uint256(self.rights) + self.unreadables;
        if (forOpener + forNode < terms.quorum || forOpener == forNode) toArbitrator(self, terms);
        else rule(self, forOpener > forNode ? Outcome.NodeLoses : Outcome.OpenerLoses, terms);
    }

    function _enter(Dispute storage self, DisputeStage stage, uint40 deadline) private {
        self.stage = stage;
        self.deadline = deadline;
    }
}
