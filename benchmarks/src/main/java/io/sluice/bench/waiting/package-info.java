/** Tasks that wait for memory of a node, and what they cost its service. */
package io.sluice.bench.waiting;
