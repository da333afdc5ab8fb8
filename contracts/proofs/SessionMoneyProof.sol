// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SessionMoney} from "../libraries/SessionMoney.sol";
import {LaneMoney, Purse} from "../types/SessionTypes.sol";

/// @title Conservation of a session's money, for a solver: `npm run prove`.
/// @notice Induction over the session's history: whatever the state before, if it kept the two laws, it keeps them
///      after each act. `others` is the sum of all other lanes' allotments, so the proof holds for any number of lanes.
///      Law 1: what was put in = free + returned + Σ allotments. Law 2: no lane pays more than it holds.
contract SessionMoneyProof {
    function putIn(Purse memory purse, LaneMoney memory lane, uint128 others, uint64 amountUsd6) external pure {
        _assume(purse, lane, others);
        SessionMoney.putIn(purse, amountUsd6);
        _prove(purse, lane, others);
    }

    function allot(Purse memory purse, LaneMoney memory lane, uint128 others, uint64 amountUsd6) external pure {
        _assume(purse, lane, others);
        SessionMoney.allot(purse, lane, amountUsd6);
        _prove(purse, lane, others);
    }

    function pay(Purse memory purse, LaneMoney memory lane, uint128 others, uint128 dueUsd6) external pure {
        _assume(purse, lane, others);
        require(dueUsd6 >= lane.paidUsd6);
        SessionMoney.pay(lane, dueUsd6);
        assert(lane.paidUsd6 <= dueUsd6);
        _prove(purse, lane, others);
    }

    function reclaim(Purse memory purse, LaneMoney memory lane, uint128 others) external pure {
        _assume(purse, lane, others);
        SessionMoney.reclaim(purse, lane);
        _prove(purse, lane, others);
    }

    function burn(Purse memory purse, LaneMoney memory lane, uint128 others, uint64 amountUsd6) external pure {
        _assume(purse, lane, others);
        require(amountUsd6 <= lane.allotmentUsd6 - lane.paidUsd6);
        SessionMoney.burn(purse, lane, amountUsd6);
        _prove(purse, lane, others);
    }

    function giveBack(Purse memory purse, LaneMoney memory lane, uint128 others) external pure {
        _assume(purse, lane, others);
        SessionMoney.giveBack(purse);
        _prove(purse, lane, others);
    }

    function recover(Purse memory purse, LaneMoney memory lane, uint128 others, uint64 amountUsd6) external pure {
        _assume(purse, lane, others);
        SessionMoney.recover(purse, lane, amountUsd6);
        _prove(purse, lane, others);
    }

    function _assume(Purse memory purse, LaneMoney memory lane, uint128 others) private pure {
        require(purse.putInUsd6 == _sum(purse, lane, others));
        require(lane.paidUsd6 <= lane.allotmentUsd6);
    }

    function _prove(Purse memory purse, LaneMoney memory lane, uint128 others) private pure {
        assert(purse.putInUsd6 == _sum(purse, lane, others));
        assert(lane.paidUsd6 <= lane.allotmentUsd6);
    }

    function _sum(Purse memory purse, LaneMoney memory lane, uint128 others) private pure returns (uint256) {
        return uint256(purse.freeUsd6) + purse.returnedUsd6 + lane.allotmentUsd6 + others;
    }
}
