/** What this machine offers to Sluice, found out by looking. */
package io.sluice.tools.doctor;
