/**
 * Bounds for a measured cluster: a group of processes with little memory, and block devices of its
 * own with a known rate. Needs root; each part says why it does not work on a machine.
 */
package io.sluice.it.limit;
