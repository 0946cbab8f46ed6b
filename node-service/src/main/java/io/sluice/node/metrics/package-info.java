/** Metrics of a node's service, with the same names in JMX, Prometheus and Hadoop's metrics. */
package io.sluice.node.metrics;
