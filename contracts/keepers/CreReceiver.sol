// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AutomationCompatibleInterface
} from "@chainlink/contracts/src/v0.8/automation/interfaces/AutomationCompatibleInterface.sol";
import {IReceiver} from "@chainlink/contracts/src/v0.8/keystone/interfaces/IReceiver.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ICreReceiver} from "../interfaces/ICreReceiver.sol";

/// @title CreReceiver
/// @notice Immutable and without state: a new workflow is a new receiver. Holds no role anywhere.
/// @dev Metadata, as the forwarder cuts it out of the signed report: workflow id (32) ‖ workflow name (10) ‖ workflow
///      owner (20) ‖ report id (2).
contract CreReceiver is ICreReceiver, IReceiver {
    uint256 private constant METADATA_BYTES = 64;

    address public immutable forwarder;
    address public immutable workflowOwner;
    bytes32 public immutable workflowId;
    AutomationCompatibleInterface public immutable target;

    constructor(
        address forwarder_,
        address workflowOwner_,
        bytes32 workflowId_,
        AutomationCompatibleInterface target_
    ) {
        bool complete = forwarder_ != address(0) && workflowOwner_ != address(0) && workflowId_ != 0
            && address(target_) != address(0);
        if (!complete) revert CreReceiverInvalid();
        forwarder = forwarder_;
        workflowOwner = workflowOwner_;
        workflowId = workflowId_;
        target = target_;
    }

    /// @inheritdoc IReceiver
    function onReport(bytes calldata metadata, bytes calldata report) external {
        if (msg.sender != forwarder) revert CreReceiverNotForwarder(msg.sender);
        if (metadata.length != METADATA_BYTES) revert CreReceiverMetadataInvalid(metadata.length);
        bytes32 id = bytes32(metadata[:32]);
        address owner = address(bytes20(metadata[42:62]));
        if (id != workflowId || owner != workflowOwner) revert CreReceiverForeignWorkflow(id, owner);
        emit ReportPerformed(id, bytes2(metadata[62:64]), report.length);
        target.performUpkeep(report);
    }

    /// @notice ERC-165: the forwarder delivers to receivers alone.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IReceiver).interfaceId || interfaceId == type(IERC165).interfaceId;
    }
}
