/** Inputs that are made from a seed. */
package io.sluice.workloads.input;
