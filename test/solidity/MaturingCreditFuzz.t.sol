// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MaturingCredit} from "../../contracts/libraries/MaturingCredit.sol";

/// @title Credits that mature: for any history of settlements, demands and payments, a demand in time finds its bill, no
///        bill leaves within its window, and after two windows nothing is held back.
contract MaturingCreditFuzzTest {
    using MaturingCredit for MaturingCredit.Credit;

    uint256 private constant WINDOW_S = 100;

    struct Bill {
        uint256 settledAt;
        uint256 amountUsd6;
        bool contested;
    }

    MaturingCredit.Credit private _credit;
    Bill[] private _bills;
    uint256 private _now = 1_800_000_000;
    uint256 private _paidUsd6;
    uint256 private _contestedUsd6;

    function testFuzz_contestNeverFallsShortAndNothingLeavesEarly(uint256 seed) external {
        for (uint256 step; step < 60; ++step) {
            seed = uint256(keccak256(abi.encode(seed)));
            _now += seed % 4 == 0 ? 0 : seed / 4 % 90;
            uint256 act = seed >> 64;
            if (act % 3 == 0) _settle(act / 3 % 1e6);
            else if (act % 3 == 1) _contestOne(act / 3);
            else _pay();
            _check();
        }
        _now += 2 * WINDOW_S;
        _pay();
        require(_credit.total() == 0, "after two windows all is paid");
        require(_paidUsd6 + _contestedUsd6 == _sum(_now), "INV-1: no unit is lost or made");
    }

    function testFuzz_takesNothingIfThereIsLess(uint64 amountUsd6, uint64 moreUsd6) external {
        _credit.add(_period(), amountUsd6);
        require(!_credit.take(_period(), uint256(amountUsd6) + 1 + moreUsd6), "more than there is");
        require(_credit.immatureIn(_period()) == amountUsd6, "nothing was taken");
    }

    function _settle(uint256 amountUsd6) private {
        _credit.add(_period(), amountUsd6);
        _bills.push(Bill(_now, amountUsd6, false));
    }

    /// @dev Any bill whose payer may still demand it: not the oldest, not the youngest, any.
    function _contestOne(uint256 seed) private {
        for (uint256 i; i < _bills.length; ++i) {
            Bill storage bill = _bills[(seed % _bills.length + i) % _bills.length];
            if (bill.contested || _now >= bill.settledAt + WINDOW_S) continue;
            require(_credit.take(_period(), bill.amountUsd6), "a demand in time fell short");
            bill.contested = true;
            _contestedUsd6 += bill.amountUsd6;
            return;
        }
    }

    function _pay() private {
        _paidUsd6 += _credit.takeMatured(_period());
    }

    function _check() private view {
        uint256 immatureUsd6 = _credit.immatureIn(_period());
        require(_credit.total() + _paidUsd6 + _contestedUsd6 == _sum(_now), "INV-1");
        require(_paidUsd6 <= _sum(_now - WINDOW_S), "a bill left within its window");
        require(immatureUsd6 >= _demandable(), "less is held than can be demanded");
        require((_credit.maturesIn(_period()) == 0) == (immatureUsd6 == 0), "it is said when the rest matures");
    }

    /// @dev All that was settled until then.
    function _sum(uint256 until) private view returns (uint256 sum) {
        for (uint256 i; i < _bills.length; ++i) if (_bills[i].settledAt <= until) sum += _bills[i].amountUsd6;
    }

    function _demandable() private view returns (uint256 sum) {
        for (uint256 i; i < _bills.length; ++i) {
            Bill memory bill = _bills[i];
            if (!bill.contested && _now < bill.settledAt + WINDOW_S) sum += bill.amountUsd6;
        }
    }

    function _period() private view returns (uint32) {
        return uint32(_now / WINDOW_S);
    }
}
