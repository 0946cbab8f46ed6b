/**
 * Shuffling on a node whose whole memory, page cache included, is bounded: stock tuned for that
 * memory and Sluice, over shares of the memory that would hold all intermediate data.
 */
package io.sluice.bench.memory;
