/** Tries a node service from another machine, without a job, by reads of a public pattern. */
package io.sluice.node.probe;
