// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/// @title Asks several contracts a question each, in one `eth_call` that creates this contract and deploys nothing.
/// @notice Of each answer only the first word is read, and each contract has its own gas: none can spoil the others.
contract HoldingsProbe {
    struct Question {
        address target;
        bytes data;
    }

    struct Answer {
        bool hasCode;
        bool succeeded;
        uint256 size;
        bytes32 word;
    }

    constructor(Question[] memory questions, uint256 gasEach) {
        Answer[] memory answers = new Answer[](questions.length);
        for (uint256 index = 0; index < questions.length; index++) {
            answers[index] = ask(questions[index].target, questions[index].data, gasEach);
        }
        bytes memory encoded = abi.encode(answers);
        assembly {
            return(add(encoded, 32), mload(encoded))
        }
    }

    function ask(address target, bytes memory data, uint256 gasEach) private view returns (Answer memory answer) {
        answer.hasCode = target.code.length > 0;
        bool succeeded;
        uint256 size;
        bytes32 word;
        assembly {
            mstore(0, 0)
            succeeded := staticcall(gasEach, target, add(data, 32), mload(data), 0, 32)
            size := returndatasize()
            word := mload(0)
        }
        (answer.succeeded, answer.size, answer.word) = (succeeded, size, word);
    }
}
