/**
 * Who may use a node's memory for what: a state machine without clock, thread, file or socket. It
 * is told what happens and when, and says what is to be done.
 */
package io.sluice.node.ledger;
