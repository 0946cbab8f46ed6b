/** Trying a node service from afar, without a job: a public pattern to read, and who reads it. */
package io.sluice.node.probe;
