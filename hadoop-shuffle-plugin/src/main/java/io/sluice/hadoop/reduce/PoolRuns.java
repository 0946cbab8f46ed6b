package io.sluice.hadoop.reduce;

import io.sluice.node.client.LocatedRuns;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * The runs that one answer of a node has located; each of them refers to this.
 *
 * @param located where they lie
 * @param codec of the job's map outputs, or null
 */
record PoolRuns(LocatedRuns located, CompressionCodec codec) {}
