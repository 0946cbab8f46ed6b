/**
 * What bounds a measured cluster: a group of processes with little memory, and block devices of its
 * own with a known rate. Needs root; what does not work here says why.
 */
package io.sluice.it.limit;
