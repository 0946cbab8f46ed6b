/** The file system {@code sluice:}, whose files live in the memory of the process. */
package io.sluice.memory.fs;
