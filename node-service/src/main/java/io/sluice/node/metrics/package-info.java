/** What a node's service tells those who watch it, under one name for each thing everywhere. */
package io.sluice.node.metrics;
