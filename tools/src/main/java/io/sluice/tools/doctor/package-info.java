/** Checks what Sluice can use on this machine. */
package io.sluice.tools.doctor;
