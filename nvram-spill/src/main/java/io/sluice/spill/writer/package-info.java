/** Writers of outputs, and the memory that they and sort buffers lease. */
package io.sluice.spill.writer;
