/** What a task writes an output with. */
package io.sluice.spill.writer;
