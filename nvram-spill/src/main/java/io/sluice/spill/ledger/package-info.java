/**
 * Grants a node's memory to its tasks: a state machine without clock, thread, file or socket. Its
 * caller reports events and their times, and executes the actions that it returns.
 */
package io.sluice.spill.ledger;
