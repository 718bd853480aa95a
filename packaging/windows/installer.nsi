; SPDX-License-Identifier: BSD-3-Clause
; The installer, made by packaging/windows/make-setup, which gives
;   VERSION   1.2.3
;   STAGE     the folder with everything to be installed
;   FILES     a file of "Delete" and "RMDir" lines, one for each file and folder of STAGE
;   SIZE      of STAGE, in KB
;   PARTS     the folder with pteris-path.exe, pteris-shortcut.exe and side.bmp
;   SOURCE    the top of the source
;   OUT       the installer to make
;   SIGN      the script that signs a file, or does nothing
;
; For this user alone, without an administrator, or for all users. Options on the command line:
;   /S                without a window
;   /AllUsers         for everybody; needs an administrator
;   /CurrentUser      for this user alone (so it is anyway)
;   /NoStartMenu      not in the start menu
;   /NoFileTypes      .pte and .ptd stay what they are
;   /NoPath           no command "pteris" in terminals
;   /D=C:\Folder      where to; the last option, without quotes
; The uninstaller takes /S, and /Data to remove models, chats and settings of this user, too.
; Exit status: 0 done, 1 given up by the user, 2 failed, 3 Pteris is in use, 4 an administrator is needed.

Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
SetCompressorDictSize 32

!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include nsDialogs.nsh
!include WinMessages.nsh

!define IN_USE 3
!define NO_ADMINISTRATOR 4
!define OWN_KEY "Software\Pteris"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Pteris"

Name "Pteris"
BrandingText "Pteris ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS all
!finalize '"${SIGN}" "%1"'
!uninstfinalize '"${SIGN}" "%1"'

VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Pteris"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Pteris ${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "BSD-3-Clause"

Var AllUsers      ; "1" when for everybody
Var ButtonUser
Var ButtonAll
Var Elevated      ; "1" in the second process, which an administrator has allowed

; ---- Pages

!define MUI_ICON "${SOURCE}/app/pteris.ico"
!define MUI_UNICON "${SOURCE}/app/pteris.ico"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${PARTS}/side.bmp"
!define MUI_UNWELCOMEFINISHPAGE_BITMAP "${PARTS}/side.bmp"
!define MUI_ABORTWARNING
!define MUI_COMPONENTSPAGE_SMALLDESC
!define MUI_WELCOMEPAGE_TEXT "$(Welcome)"
!define MUI_PAGE_CUSTOMFUNCTION_PRE SkipWhenElevated
!insertmacro MUI_PAGE_WELCOME
!define MUI_PAGE_CUSTOMFUNCTION_PRE SkipWhenElevated
!insertmacro MUI_PAGE_LICENSE "${SOURCE}/LICENSE"
Page custom ShowUsers LeaveUsers
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_FUNCTION OpenWindow
!insertmacro MUI_PAGE_FINISH

!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_INSTFILES

!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

!macro TEXT NAME ENGLISH GERMAN
  LangString ${NAME} ${LANG_ENGLISH} "${ENGLISH}"
  LangString ${NAME} ${LANG_GERMAN} "${GERMAN}"
!macroend
!insertmacro TEXT Welcome "Pteris runs language models and transcribes speech on this computer. Installing it for yourself needs no administrator." "Pteris führt Sprachmodelle auf diesem Computer aus und transkribiert Sprache. Die Installation nur für Sie selbst benötigt keine Administratorrechte."
!insertmacro TEXT UsersTitle "Users" "Benutzer"
!insertmacro TEXT UsersSubtitle "Choose who can use Pteris on this computer." "Wählen Sie, wer Pteris auf diesem Computer benutzen kann."
!insertmacro TEXT UsersMe "Only for &me (no administrator needed)" "Nur für &mich (ohne Administratorrechte)"
!insertmacro TEXT UsersAll "For &all users of this computer" "Für &alle Benutzer dieses Computers"
!insertmacro TEXT PartProgram "Pteris" "Pteris"
!insertmacro TEXT PartMenu "Start menu" "Startmenü"
!insertmacro TEXT PartTypes "Open .pte and .ptd files" ".pte- und .ptd-Dateien öffnen"
!insertmacro TEXT PartPath "Command “pteris” in terminals" "Befehl „pteris“ in Terminals"
!insertmacro TEXT PartData "Models, chats and settings" "Modelle, Chats und Einstellungen"
!insertmacro TEXT AboutProgram "The window and the command line." "Das Fenster und die Befehlszeile."
!insertmacro TEXT AboutMenu "An entry for Pteris in the start menu." "Ein Eintrag für Pteris im Startmenü."
!insertmacro TEXT AboutTypes "Offers Pteris for models; default programs that you have chosen are kept." "Bietet Pteris für Modelle an; von Ihnen gewählte Standardprogramme bleiben erhalten."
!insertmacro TEXT AboutPath "Adds a folder with this command to PATH." "Fügt einen Ordner mit diesem Befehl zu PATH hinzu."
!insertmacro TEXT AboutUninstall "The program and everything that the installer added." "Das Programm und alles, was das Installationsprogramm hinzugefügt hat."
!insertmacro TEXT AboutData "Your models, chats, transcripts and settings. They cannot be restored." "Ihre Modelle, Chats, Transkripte und Einstellungen. Sie lassen sich nicht wiederherstellen."
!insertmacro TEXT WillClose "Pteris is open. Setup will close its window." "Pteris ist geöffnet. Das Setup schließt das Fenster."
!insertmacro TEXT StillOpen "Pteris is still running. Close it, also in terminals, and try again." "Pteris läuft noch. Schließen Sie es, auch in Terminals, und versuchen Sie es erneut."
!insertmacro TEXT NeedsAdministrator "Only an administrator can do this for all users." "Für alle Benutzer kann das nur ein Administrator."
!insertmacro TEXT OnArm "This computer has an ARM processor. Pteris is made for x64 processors and runs here in Windows' emulation, which is slower and was not tested. Install it anyway?" "Dieser Computer hat einen ARM-Prozessor. Pteris ist für x64-Prozessoren gemacht und läuft hier in der Emulation von Windows, die langsamer ist und nicht getestet wurde. Trotzdem installieren?"
!insertmacro TEXT TypeProgram "ExecuTorch model" "ExecuTorch-Modell"
!insertmacro TEXT TypeData "ExecuTorch data" "ExecuTorch-Daten"
!insertmacro TEXT Comment "Chat and transcription on this computer" "Chat und Transkription auf diesem Computer"

; ---- What the installer and the uninstaller share

!macro SHARED un
; Everything in the registry and in the start menu is this user's, or everybody's.
Function ${un}ForAllUsers
  StrCpy $AllUsers 1
  SetShellVarContext all
FunctionEnd

Function ${un}ForThisUser
  StrCpy $AllUsers 0
  SetShellVarContext current
FunctionEnd

; $0 becomes "1" for an administrator who has agreed.
Function ${un}IsAdministrator
  UserInfo::GetAccountType
  Pop $0
  ${If} $0 == "Admin"
    StrCpy $0 1
  ${Else}
    StrCpy $0 0
  ${EndIf}
FunctionEnd

; $0 becomes "1" when a program of ours runs: its DLLs cannot be written then.
Function ${un}IsInUse
  StrCpy $0 0
  ${If} ${FileExists} "$INSTDIR\bin\libglib-2.0-0.dll"
    ClearErrors
    FileOpen $1 "$INSTDIR\bin\libglib-2.0-0.dll" a
    ${If} ${Errors}
      StrCpy $0 1
    ${Else}
      FileClose $1
    ${EndIf}
  ${EndIf}
FunctionEnd

; Asks the window to close, as its user would, and waits; nothing is ever ended by force.
Function ${un}CloseWindow
  Call ${un}IsInUse
  ${If} $0 == 0
    Return
  ${EndIf}
  MessageBox MB_OKCANCEL|MB_ICONINFORMATION "$(WillClose)" /SD IDOK IDOK ask
  Abort
ask:
  nsExec::Exec '"$INSTDIR\bin\pteris-window.exe" --quit'
  Pop $0
  ; The session's bus ends a few seconds after its last user, and a busy computer is slow.
  ${For} $2 1 120
    Call ${un}IsInUse
    ${If} $0 == 0
      Return
    ${EndIf}
    Sleep 500
  ${Next}
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(StillOpen)" /SD IDCANCEL IDRETRY ask
  SetErrorLevel ${IN_USE}
  Quit
FunctionEnd

; Explorer looks at file types anew.
Function ${un}TellExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
FunctionEnd

; Stack: "add" or "remove". PATH is edited by a program of ours, which takes it whatever its length.
Function ${un}EditPath
  Pop $0
  InitPluginsDir
  File "/oname=$PLUGINSDIR\pteris-path.exe" "${PARTS}/pteris-path.exe"
  ${If} $AllUsers == 1
    nsExec::Exec '"$PLUGINSDIR\pteris-path.exe" $0 "$INSTDIR\command" machine'
  ${Else}
    nsExec::Exec '"$PLUGINSDIR\pteris-path.exe" $0 "$INSTDIR\command"'
  ${EndIf}
  Pop $0
FunctionEnd
!macroend
!insertmacro SHARED ""
!insertmacro SHARED "un."

; ---- Parts

Section "$(PartProgram)" SecProgram
  SectionIn RO
  Call CloseWindow
  ; What an older version has laid here and this one does not.
  ${If} ${FileExists} "$INSTDIR\uninstall.exe"
    ExecWait '"$INSTDIR\uninstall.exe" /S /Upgrade _?=$INSTDIR'
  ${EndIf}
  ClearErrors
  SetOutPath "$INSTDIR"
  File /r "${STAGE}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ${If} ${Errors}
    SetErrorLevel 2
    Abort
  ${EndIf}
  WriteRegStr SHCTX "${OWN_KEY}" "InstallDir" "$INSTDIR"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayName" "Pteris"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\bin\pteris-window.exe,0"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "Publisher" "The Pteris authors"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "Comments" "$(Comment)"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE}
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoRepair" 1
SectionEnd

Section "$(PartMenu)" SecMenu
  ; The folder that the shortcut begins in.
  SetOutPath "$INSTDIR\bin"
  CreateShortcut "$SMPROGRAMS\Pteris.lnk" "$INSTDIR\bin\pteris-window.exe" "" "" 0 SW_SHOWNORMAL "" "$(Comment)"
  ; Without its application ID the entry would work, but be pinned beside the window.
  InitPluginsDir
  File "/oname=$PLUGINSDIR\pteris-shortcut.exe" "${PARTS}/pteris-shortcut.exe"
  nsExec::Exec '"$PLUGINSDIR\pteris-shortcut.exe" "$SMPROGRAMS\Pteris.lnk"'
  Pop $0
SectionEnd

; ICON: the number of the icon in app/pteris.rc, from 0.
!macro FILE_TYPE EXTENSION CLASS TITLE ICON
  WriteRegStr SHCTX "Software\Classes\${CLASS}" "" "${TITLE}"
  WriteRegStr SHCTX "Software\Classes\${CLASS}\DefaultIcon" "" "$INSTDIR\bin\pteris-window.exe,${ICON}"
  WriteRegStr SHCTX "Software\Classes\${CLASS}\shell\open\command" "" '"$INSTDIR\bin\pteris-window.exe" "%1"'
  WriteRegStr SHCTX "Software\Classes\${EXTENSION}\OpenWithProgids" "${CLASS}" ""
  ReadRegStr $0 HKCU "Software\Classes\${EXTENSION}" ""
  ReadRegStr $1 HKLM "Software\Classes\${EXTENSION}" ""
  ${If} $0$1 == ""
    WriteRegStr SHCTX "Software\Classes\${EXTENSION}" "" "${CLASS}"
  ${EndIf}
!macroend

Section "$(PartTypes)" SecTypes
  !insertmacro FILE_TYPE ".pte" "Pteris.Program" "$(TypeProgram)" 1
  !insertmacro FILE_TYPE ".ptd" "Pteris.Data" "$(TypeData)" 2
  Call TellExplorer
SectionEnd

Section "$(PartPath)" SecPath
  Push add
  Call EditPath
SectionEnd

; For the next version.
Section "-Choices"
  !macro REMEMBER SECTION NAME
    SectionGetFlags ${SECTION} $0
    IntOp $0 $0 & ${SF_SELECTED}
    WriteRegDWORD SHCTX "${OWN_KEY}" "${NAME}" $0
  !macroend
  !insertmacro REMEMBER ${SecMenu} "StartMenu"
  !insertmacro REMEMBER ${SecTypes} "FileTypes"
  !insertmacro REMEMBER ${SecPath} "Path"
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SecProgram} "$(AboutProgram)"
  !insertmacro MUI_DESCRIPTION_TEXT ${SecMenu} "$(AboutMenu)"
  !insertmacro MUI_DESCRIPTION_TEXT ${SecTypes} "$(AboutTypes)"
  !insertmacro MUI_DESCRIPTION_TEXT ${SecPath} "$(AboutPath)"
!insertmacro MUI_FUNCTION_DESCRIPTION_END

; ---- The beginning

; $INSTDIR: what /D= says, else where it is, else the usual place.
Function ChooseFolder
  ${If} $INSTDIR == ""
    ReadRegStr $INSTDIR SHCTX "${OWN_KEY}" "InstallDir"
  ${EndIf}
  ${If} $INSTDIR == ""
    ${If} $AllUsers == 1
      StrCpy $INSTDIR "$PROGRAMFILES64\Pteris"
    ${Else}
      StrCpy $INSTDIR "$LOCALAPPDATA\Programs\Pteris"
    ${EndIf}
  ${EndIf}
FunctionEnd

; What an older version was installed with, unless the command line says otherwise.
!macro CHOICE SECTION NAME
  ReadRegDWORD $1 SHCTX "${OWN_KEY}" "${NAME}"
  ${IfNot} ${Errors}
  ${AndIf} $1 == 0
    !insertmacro UnselectSection ${SECTION}
  ${EndIf}
  ClearErrors
  ${GetOptions} $R0 "/No${NAME}" $1
  ${IfNot} ${Errors}
    !insertmacro UnselectSection ${SECTION}
  ${EndIf}
  ClearErrors
!macroend

Function TakeChoices
  ${GetParameters} $R0
  ClearErrors
  !insertmacro CHOICE ${SecMenu} "StartMenu"
  !insertmacro CHOICE ${SecTypes} "FileTypes"
  !insertmacro CHOICE ${SecPath} "Path"
FunctionEnd

; Says so on a computer with an ARM processor, where this installer runs in an emulation that tells of an x64 one. Windows
; before 10, version 1709, lacks the function; there it does not emulate x64 either.
Function TellArm
  System::Call 'kernel32::GetCurrentProcess() p .r0'
  System::Call 'kernel32::IsWow64Process2(p r0, *i .r1, *i .r2) i .r3'
  IntOp $2 $2 & 0xFFFF
  ${If} $3 != 0
  ${AndIf} $3 != "error"
  ${AndIf} $2 = 0xAA64
    MessageBox MB_YESNO|MB_ICONEXCLAMATION "$(OnArm)" /SD IDYES IDYES goon
    SetErrorLevel 1
    Quit
  ${EndIf}
goon:
FunctionEnd

Function .onInit
  SetRegView 64
  Call ForThisUser
  ; An upgrade is for whom it was.
  ReadRegStr $0 HKCU "${OWN_KEY}" "InstallDir"
  ReadRegStr $1 HKLM "${OWN_KEY}" "InstallDir"
  ${If} $0 == ""
  ${AndIf} $1 != ""
    Call ForAllUsers
  ${EndIf}
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/CurrentUser" $1
  ${IfNot} ${Errors}
    Call ForThisUser
  ${EndIf}
  ClearErrors
  ${GetOptions} $R0 "/AllUsers" $1
  ${IfNot} ${Errors}
    Call ForAllUsers
  ${EndIf}
  ClearErrors
  ${GetOptions} $R0 "/Elevated" $1
  ${IfNot} ${Errors}
    StrCpy $Elevated 1
  ${Else}
    Call TellArm
  ${EndIf}
  ${If} ${Silent}
  ${AndIf} $AllUsers == 1
    Call IsAdministrator
    ${If} $0 == 0
      SetErrorLevel ${NO_ADMINISTRATOR}
      Quit
    ${EndIf}
  ${EndIf}
  Call ChooseFolder
  Call TakeChoices
FunctionEnd

Function SkipWhenElevated
  ${If} $Elevated == 1
    Abort
  ${EndIf}
FunctionEnd

; ---- For whom

Function ShowUsers
  ${If} $Elevated == 1
    Abort
  ${EndIf}
  !insertmacro MUI_HEADER_TEXT "$(UsersTitle)" "$(UsersSubtitle)"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateRadioButton} 0 20u 100% 14u "$(UsersMe)"
  Pop $ButtonUser
  ${NSD_CreateRadioButton} 0 40u 100% 14u "$(UsersAll)"
  Pop $ButtonAll
  ${If} $AllUsers == 1
    ${NSD_Check} $ButtonAll
  ${Else}
    ${NSD_Check} $ButtonUser
  ${EndIf}
  nsDialogs::Show
FunctionEnd

; An administrator is asked for by starting again; the new process goes on after this page.
Function LeaveUsers
  ${NSD_GetState} $ButtonAll $1
  StrCpy $2 $AllUsers
  ${If} $1 == ${BST_CHECKED}
    Call ForAllUsers
    Call IsAdministrator
    ${If} $0 == 0
      ClearErrors
      ExecShell "runas" "$EXEPATH" "/AllUsers /Elevated"
      ${If} ${Errors}
        MessageBox MB_OK|MB_ICONEXCLAMATION "$(NeedsAdministrator)"
        Abort
      ${EndIf}
      Quit
    ${EndIf}
  ${Else}
    Call ForThisUser
  ${EndIf}
  ${If} $AllUsers != $2
    StrCpy $INSTDIR ""
    Call ChooseFolder
  ${EndIf}
FunctionEnd

; By Explorer: not as an administrator.
Function OpenWindow
  Exec '"$WINDIR\explorer.exe" "$INSTDIR\bin\pteris-window.exe"'
FunctionEnd

; ---- The uninstaller

Function un.onInit
  SetRegView 64
  Call un.ForThisUser
  Call un.TakeChoices
  ReadRegStr $0 HKLM "${OWN_KEY}" "InstallDir"
  ${If} $0 == $INSTDIR
    Call un.ForAllUsers
    Call un.IsAdministrator
    ${If} $0 == 0
      ${If} ${Silent}
        SetErrorLevel ${NO_ADMINISTRATOR}
      ${Else}
        ExecShell "runas" "$INSTDIR\uninstall.exe"
      ${EndIf}
      Quit
    ${EndIf}
  ${EndIf}
FunctionEnd

!macro NO_FILE_TYPE EXTENSION CLASS
  DeleteRegKey SHCTX "Software\Classes\${CLASS}"
  DeleteRegValue SHCTX "Software\Classes\${EXTENSION}\OpenWithProgids" "${CLASS}"
  DeleteRegKey /ifempty SHCTX "Software\Classes\${EXTENSION}\OpenWithProgids"
  ReadRegStr $0 SHCTX "Software\Classes\${EXTENSION}" ""
  ${If} $0 == "${CLASS}"
    DeleteRegValue SHCTX "Software\Classes\${EXTENSION}" ""
  ${EndIf}
  DeleteRegKey /ifempty SHCTX "Software\Classes\${EXTENSION}"
!macroend

Section "un.$(PartProgram)" UnProgram
  SectionIn RO
  Call un.CloseWindow
  SetOutPath "$TEMP"
  !include "${FILES}"
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/Upgrade" $1
  ${IfNot} ${Errors}
    ; The new version says what is in the start menu, and so on.
    Delete "$SMPROGRAMS\Pteris.lnk"
    !insertmacro NO_FILE_TYPE ".pte" "Pteris.Program"
    !insertmacro NO_FILE_TYPE ".ptd" "Pteris.Data"
    Push remove
    Call un.EditPath
    Return
  ${EndIf}
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Pteris.lnk"
  !insertmacro NO_FILE_TYPE ".pte" "Pteris.Program"
  !insertmacro NO_FILE_TYPE ".ptd" "Pteris.Data"
  Call un.TellExplorer
  Push remove
  Call un.EditPath
  DeleteRegKey SHCTX "${UNINSTALL_KEY}"
  DeleteRegKey SHCTX "${OWN_KEY}"
  ; What can be made again.
  SetShellVarContext current
  RMDir /r "$INTERNET_CACHE\pteris"
SectionEnd

Section /o "un.$(PartData)" UnData
  SetShellVarContext current
  RMDir /r "$LOCALAPPDATA\pteris"
SectionEnd

; Chosen in the window, or by /Data.
Function un.TakeChoices
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/Data" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${UnData}
  ${EndIf}
FunctionEnd

!insertmacro MUI_UNFUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${UnProgram} "$(AboutUninstall)"
  !insertmacro MUI_DESCRIPTION_TEXT ${UnData} "$(AboutData)"
!insertmacro MUI_UNFUNCTION_DESCRIPTION_END
