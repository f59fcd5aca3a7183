// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/// @title Stands in tests for what chains of layer 2 have at fixed addresses: it charges for each byte of data.
/// @notice The methods have the ABI of OP-stack's GasPriceOracle and of Arbitrum's NodeInterface.
contract LayerOneFees {
    uint256 public constant WEI_PER_BYTE = 5 gwei;
    uint64 public constant GAS_PER_BYTE = 7;

    function getL1Fee(bytes calldata data) external pure returns (uint256) {
        return data.length * WEI_PER_BYTE;
    }

    function gasEstimateL1Component(
        address,
        bool,
        bytes calldata data
    ) external payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate) {
        return (uint64(data.length) * GAS_PER_BYTE, block.basefee, 1 gwei);
    }
}
