// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/**
 * @title Stands in for the deterministic deployer on local chains that lack it, such as Hardhat's, with the same calls: the
 * input is a salt and creation code, the output the 20 bytes of the address.
 */
contract Create2Deployer {
    fallback() external payable {
        assembly {
            let size := sub(calldatasize(), 32)
            calldatacopy(0, 32, size)
            let created := create2(callvalue(), 0, size, calldataload(0))
            if iszero(created) {
                revert(0, 0)
            }
            mstore(0, created)
            return(12, 20)
        }
    }
}
