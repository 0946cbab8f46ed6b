/** The store in the process of the service: leases, commits, the directory of outputs, recovery. */
package io.sluice.spill.store;
