// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/// @title The sample DApp of the demo: items that players mint and burn for themselves.
contract GameItems {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply;

    event ItemsMinted(address indexed player, uint256 amount);
    event ItemsBurned(address indexed player, uint256 amount);

    /// @notice Gives the caller `amount` new items.
    function mint(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        totalSupply += amount;
        emit ItemsMinted(msg.sender, amount);
    }

    /// @notice Destroys `amount` of the caller's items.
    function burn(uint256 amount) external {
        require(balanceOf[msg.sender] >= amount, "GameItems: not enough items");
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
        emit ItemsBurned(msg.sender, amount);
    }

    /// @notice Always reverts: shows what an operation that cannot succeed looks like.
    function failingMint() external pure {
        revert("GameItems: minting is closed");
    }
}
