// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SessionHarness} from "../../contracts/mocks/SessionHarness.sol";
import {Voucher} from "../../contracts/types/MessageTypes.sol";
import {LaneMoney, Purse} from "../../contracts/types/SessionTypes.sol";
import {VM} from "./support/Vm.sol";

/// @title Laws of PackedBills, SessionMoney and VoucherChain over random input.
contract SessionLibrariesFuzzTest {
    SessionHarness private _harness = new SessionHarness();

    function testFuzz_weighingWordByWordEqualsRecordByRecord(bytes memory noise) external view {
        bytes memory bills = _wellFormed(noise);
        require(_harness.weigh(bills) == _harness.weighPlainly(bills), "weights differ");
        require(_harness.weigh(bills) < 2 ** 57, "too heavy");
    }

    function testFuzz_weighingIgnoresWhatFollowsTheBills(bytes memory noise, bytes32 after_) external view {
        bytes memory bills = _wellFormed(noise);
        // Encoded by hand: the compiler would pad the bills with zeros.
        (bool done, bytes memory result) = address(_harness).staticcall(
            bytes.concat(SessionHarness.weigh.selector, bytes32(uint256(32)), bytes32(bills.length), bills, after_)
        );
        require(done && abi.decode(result, (uint256)) == _harness.weighPlainly(bills), "read beyond the bills");
    }

    function test_weighingHoldsAtTheEdges() external view {
        for (uint256 records = 1; records <= 4_096; records = records * 2 + 1) {
            bytes memory bills = new bytes(records * 4);
            for (uint256 i = 0; i < bills.length; ++i) bills[i] = 0xff;
            require(_harness.weigh(bills) == records * 0x7fffffff * 1_000, "all standby");
            for (uint256 i = 0; i < bills.length; i += 4) bills[i] = 0x7f;
            require(_harness.weigh(bills) == records * 0x7fffffff * 10_000, "all execution");
        }
    }

    /// @dev Assembly pays for itself or goes.
    function test_weighingWordByWordIsTenTimesCheaper() external view {
        bytes memory bills = new bytes(4_000);
        for (uint256 i = 0; i < bills.length; ++i) bills[i] = bytes1(uint8(i * 37));
        (uint256 fast, uint256 plain,) = _harness.gasOf(bills);
        require(fast * 10 < plain, "not ten times cheaper");
        require(fast <= 1_000 * 30, "above 30 gas a record");
    }

    function testFuzz_dueNeverFallsAndRoundsDown(uint64 weight, uint64 more, uint32 powerCu, uint64 price)
        external
        view
    {
        uint256 before = _harness.due(weight, powerCu, price);
        require(_harness.due(uint256(weight) + more, powerCu, price) >= before, "due fell");
        require(before * 1e13 <= uint256(weight) * powerCu * price, "rounded up");
        require((before + 1) * 1e13 > uint256(weight) * powerCu * price, "rounded by more than one unit");
    }

    function testFuzz_payingNeverExceedsDueOrAllotment(uint64 paid, uint64 allotment, uint256 dueUsd6) external view {
        LaneMoney memory lane;
        lane.allotmentUsd6 = allotment;
        lane.paidUsd6 = paid % (uint64(allotment == type(uint64).max ? allotment : allotment + 1));
        VM.assume(dueUsd6 >= lane.paidUsd6);
        (uint64 now_, LaneMoney memory later) = _harness.pay(lane, dueUsd6);
        require(later.paidUsd6 == lane.paidUsd6 + now_, "paid is not the sum");
        require(later.paidUsd6 <= later.allotmentUsd6 && later.paidUsd6 <= dueUsd6, "paid too much");
        require(later.paidUsd6 == dueUsd6 || later.paidUsd6 == later.allotmentUsd6, "paid too little");
        require(later.allotmentUsd6 == allotment, "allotment changed");
    }

    function testFuzz_feeIsWithinItsRate(uint64 paid, uint16 bps) external view {
        bps %= 501;
        require(uint256(_harness.fee(paid, bps)) * 10_000 <= uint256(paid) * bps, "fee above its rate");
    }

    /// @dev Every movement between purse and lane keeps put in = free + returned + allotment.
    function testFuzz_movingMoneyConservesIt(uint64 free, uint64 returned, uint64 allotment, uint64 paid, uint64 amount)
        external
        view
    {
        (free, returned, allotment) = (free / 4, returned / 4, allotment / 4);
        paid = allotment == 0 ? 0 : paid % (allotment + 1);
        Purse memory purse;
        (purse.freeUsd6, purse.returnedUsd6, purse.putInUsd6) = (free, returned, free + returned + allotment);
        LaneMoney memory lane;
        (lane.allotmentUsd6, lane.paidUsd6) = (allotment, paid);

        (Purse memory p, LaneMoney memory l) = _harness.allot(purse, lane, amount % (free + 1));
        _checkConserved(p, l);
        (, p, l) = _harness.reclaim(purse, lane);
        _checkConserved(p, l);
        require(l.paidUsd6 == paid && l.allotmentUsd6 == paid, "reclaimed what was paid");
        (p, l) = _harness.burn(purse, lane, amount % (allotment - paid + 1));
        _checkConserved(p, l);
        (p, l) = _harness.recover(purse, lane, amount % (returned + 1));
        _checkConserved(p, l);
    }

    function testFuzz_voucherHashOfFieldsEqualsTheStructs(Voucher memory voucher) external view {
        (bytes32 ofFields, bytes32 ofStruct) = _harness.voucherHashes(voucher);
        require(ofFields == ofStruct, "hashes differ");
    }

    function _checkConserved(Purse memory purse, LaneMoney memory lane) private pure {
        require(purse.putInUsd6 == purse.freeUsd6 + purse.returnedUsd6 + lane.allotmentUsd6, "money not conserved");
        require(lane.paidUsd6 <= lane.allotmentUsd6, "paid above allotment");
    }

    /// @dev Cuts or pads noise to 1 … 4,096 records.
    function _wellFormed(bytes memory noise) private pure returns (bytes memory bills) {
        uint256 records = noise.length / 4;
        if (records == 0) records = 1;
        if (records > 4_096) records = 4_096;
        bills = new bytes(records * 4);
        for (uint256 i = 0; i < bills.length && i < noise.length; ++i) bills[i] = noise[i];
    }
}
