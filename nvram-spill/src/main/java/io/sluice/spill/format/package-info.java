/** What an output looks like on the medium: runs, index, footer, and how they are checked. */
package io.sluice.spill.format;
