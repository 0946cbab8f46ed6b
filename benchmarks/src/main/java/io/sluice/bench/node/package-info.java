/** A node as it fills and as many ask it: its store, its service, and a reader of many nodes. */
package io.sluice.bench.node;
