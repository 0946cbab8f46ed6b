/**
 * A pseudo-distributed Hadoop cluster of real, separate daemon processes, and the handles on it.
 */
package io.sluice.it.cluster;
