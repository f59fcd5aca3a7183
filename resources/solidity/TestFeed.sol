// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/// @title A price feed for the local chain that answers what it is told, in the shape of Chainlink's feeds.
contract TestFeed {
    uint8 public immutable decimals;
    int256 private answer;
    uint256 private updatedAt;
    uint80 private round;
    uint80 private answeredInRound;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    /// @notice A new round with an answer of its own, at a time in Unix seconds.
    function set(int256 answer_, uint256 updatedAt_) external {
        (answer, updatedAt) = (answer_, updatedAt_);
        round += 1;
        answeredInRound = round;
    }

    /// @notice A new round to which nobody has answered yet: the old answer is carried over.
    function carryOver() external {
        round += 1;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (round, answer, updatedAt, updatedAt, answeredInRound);
    }
}
