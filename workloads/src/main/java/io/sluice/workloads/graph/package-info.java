/** Programs over graphs. */
package io.sluice.workloads.graph;
