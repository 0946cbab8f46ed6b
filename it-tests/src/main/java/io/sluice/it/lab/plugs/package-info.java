/**
 * Pulled plugs: a guest that writes to a spill store on an NVDIMM is killed, boots again, and what
 * it finds is compared with what it had acknowledged. {@link PulledPlugs} is the side of the host,
 * {@link PlugsProgram} that of the guest.
 */
package io.sluice.it.lab.plugs;
