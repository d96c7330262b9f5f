import tseslint from "typescript-eslint";

export default tseslint.config(
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  // node's own test functions return promises that the runner waits for.
  { files: ["test/**"], rules: { "@typescript-eslint/no-floating-promises": "off" } },
);
