/** Files of a pool and ranges of them, and how a task maps them for reading. */
package io.sluice.spill.segment;
