/**
 * Grants a node's memory to its tasks: a state machine without clock, thread, file or socket. Its
 * caller tells it what happens and when, and executes the actions that it returns.
 */
package io.sluice.spill.ledger;
