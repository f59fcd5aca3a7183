// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/// @title A token that answers every question about what somebody holds as it was told when it was made.
contract HostileToken {
    enum Habit {
        Huge,
        Revert,
        RevertHuge,
        Short,
        Nothing,
        Burn,
        Loop,
        NoAddress
    }

    Habit private immutable habit;

    constructor(Habit habit_) {
        habit = habit_;
    }

    fallback() external {
        Habit mine = habit;
        if (mine == Habit.Huge) assembly { mstore(0, not(0)) return(0, 200000) }
        if (mine == Habit.Revert) revert("HostileToken");
        if (mine == Habit.RevertHuge) assembly { revert(0, 200000) }
        if (mine == Habit.Short) assembly { mstore(0, not(0)) return(0, 31) }
        if (mine == Habit.Burn) assembly { invalid() }
        if (mine == Habit.Loop) while (true) {}
        if (mine == Habit.NoAddress) assembly { mstore(0, not(0)) return(0, 32) }
    }
}
