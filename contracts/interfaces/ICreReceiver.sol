// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Lets a Chainlink CRE workflow do the upkeep that anybody may do.
/// @notice A report is what `performUpkeep` takes, so a wrong or stale one changes nothing; the checks only keep
///      foreign workflows from spending this receiver's deliveries.
interface ICreReceiver {
    /// @notice A report was passed on.
    event ReportPerformed(bytes32 indexed workflowId, bytes2 reportId, uint256 reportBytes);

    /// @notice An address or the workflow is zero.
    error CreReceiverInvalid();
    /// @notice Only the forwarder delivers reports.
    error CreReceiverNotForwarder(address caller);
    /// @notice The metadata is not 64 bytes long.
    error CreReceiverMetadataInvalid(uint256 metadataBytes);
    /// @notice The report is of another workflow, or of another owner's.
    error CreReceiverForeignWorkflow(bytes32 workflowId, address workflowOwner);
}
