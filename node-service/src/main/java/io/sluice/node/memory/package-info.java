/** The ledger of a node at work: with a lock, a clock and a thread that moves outputs. */
package io.sluice.node.memory;
