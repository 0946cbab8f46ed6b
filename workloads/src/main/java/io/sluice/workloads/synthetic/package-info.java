/** A program whose characteristics are set one by one. */
package io.sluice.workloads.synthetic;
