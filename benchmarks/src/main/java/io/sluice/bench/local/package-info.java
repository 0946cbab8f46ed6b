/**
 * Jobs on one machine and without a cluster: stock's LocalJobRunner beside the in-process engine.
 */
package io.sluice.bench.local;
